// @seconds 30
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import { treePlaces } from '../../src/store/worktrees/places.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';

const SPEC =
  'nugget: {goal: A game of asteroids., type: game}\nagents: [{name: Bea, role: builder}, {name: Tom, role: ' +
  'tester}]\nworkflow: {review_enabled: false}\nrules: [{trigger: on_test_fail, prompt: Mend the code first.}]\n';
const TASKS = {
  tasks: ['ship', 'sky', 'stones', 'score'].map((id, index) => ({
    id,
    name: `The ${id}`,
    description: 'Draw it.',
    acceptance_criteria: ['It is there.'],
    dependencies: [[], ['ship'], ['ship'], ['sky', 'stones']][index] ?? [],
    agent_name: index === 3 ? 'Tom' : 'Bea',
    complexity: 'simple',
  })),
  plan_explanation: 'At once.',
  test_command: ['node', '-e', "console.log('PASS: one')"],
  page: 'index.html',
};
const WISH = 'The ship leaves the screen ${on} the left.';

let project: Project;
/** What is answered to all that is asked. */
let bad: string | null = null;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ system, prompt }) => ({
    text:
      bad ??
      (system.includes('You plan how') ? JSON.stringify(TASKS) : `Did ${/^# (.+)$/m.exec(prompt)?.[1] ?? 'nothing'}.`),
  }));
  project = await openProject(
    {
      'index.html': '<p>Here.</p>\n',
      'definitions/builds/game.yml': SPEC,
      'hello.yml': 'name: hello\nsteps:\n  - command: [echo, hello]\n',
    },
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
  );
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

/** Where a run has left its files. */
const treeOf = (run: string): string => treePlaces(join(project.folder, '.perdure'), run).tree('main');

const CYCLE = {
  ...TASKS,
  tasks: TASKS.tasks.map((task, index) => ({ ...task, dependencies: [TASKS.tasks[(index + 1) % 4]?.id ?? ''] })),
};
const agents = (fields: string): string =>
  `name: asks\nsteps:\n  - agent: general-purpose\n    prompt: Count.\n    retry: {attempts: 4, backoff: ` +
  `1s}\n${fields}`;

it.each([
  ['of a build, a plan', { file: 'bad.yml', definition: SPEC, answer: JSON.stringify(CYCLE), why: 'form a cycle' }],
  [
    'of an agent, JSON',
    {
      file: 'asks.yml',
      definition: agents('    schema: {type: object, required: [count]}\n'),
      answer: '{"sum": 3}',
      why: "required property 'count'",
    },
  ],
  ['of an agent, a text', { file: 'says.yml', definition: agents(''), answer: ' ', why: 'The answer is empty.' }],
])(
  'asks for an answer that does not fit three times in all, whatever `retry` says: %s',
  async (_what, { file, definition, answer, why }) => {
    bad = answer;
    writeFileSync(join(project.folder, file), definition);
    const before = endpoint.requests.length;
    const { code, stderr } = await project.run(file === 'bad.yml' ? 'build' : 'run', file, '--yes');
    bad = null;
    expect([code, stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(why)]);
    expect(endpoint.requests.slice(before).map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
  },
);

const json = async (...args: string[]): Promise<RunResult> =>
  JSON.parse((await project.run(...args, '--json')).stdout) as RunResult;

it('build runs a spec; build fix has its team mend it, told what was asked and what there is', async () => {
  expect(await json('build', 'definitions/builds/game.yml', '--id', 'game', '--yes')).toMatchObject({
    status: 'success',
    output: { summaries: { ship: 'Did The ship.' } },
  });
  const before = endpoint.requests.length;
  const fixed = await json('build', 'fix', 'game', WISH, '--id', 'mended');
  expect(fixed).toMatchObject({
    run: 'mended',
    status: 'success',
    output: { summaries: { mend: 'Did Mend what was built.', check: 'Did See that it works.' }, tests: { ok: true } },
  });
  const [mend, check] = endpoint.requests.slice(before);
  expect([mend?.system, check?.system]).toEqual([
    expect.stringContaining('You are `Bea`, the builder'),
    expect.stringContaining('You are `Tom`, the tester'),
  ]);
  expect(mend?.system).toContain('A game of asteroids.');
  expect(mend?.prompt).toContain(WISH);
  expect(mend?.prompt).toContain('how the build ended');
  expect(mend?.prompt).toContain('Mend the code first.');
  expect(mend?.prompt).toContain('Did The ship.');
  expect(check?.prompt).toContain('Did Mend what was built.');
});

it('shows its tasks before they are approved: where it waits, and later', async () => {
  const waiting = await project.run('build', 'definitions/builds/game.yml', '--id', 'asked', '--no-wait');
  expect(waiting.code).toBe(4);
  const shown = await project.run('show', 'asked');
  for (const text of [waiting.stderr, shown.stdout]) {
    expect(text).toContain(
      [
        '  │ 4. The score',
        '  │    id         score',
        '  │    agent      Tom (tester)',
        '  │    after      sky, stones',
        '  │    does       Draw it.',
        '  │    done when  - It is there.',
        '  │    size       simple',
      ].join('\n'),
    );
    expect(text).toMatch(/agent {6}Bea \(builder\)/);
    expect(text).toMatch(/cost {7}about \$0\.\d+ to \$0\.\d+ a turn/);
    // Of the build before, which the tests above have made.
    expect(text).toMatch(/a builder's task has cost <?\$0\.\d+ here, on average of 3 before/);
    expect(text).toContain(`tests      node -e "console.log('PASS: one')"`);
  }
  // What the tasks do is made when they are approved, so nobody has counted it.
  expect(shown.stdout).toContain('Changes the world outside: what build does is known once it begins');
  expect(shown.stdout).toMatch(/May cost: (?:at most .*; )?what build does may cost all of the budget that stays/s);
  expect(shown.stdout).not.toContain('no model is asked');
  expect((await project.run('reject', 'asked', '--comment', 'no')).code).toBe(0);
});

it('a rerun of a build asks nobody again, and its context file is whole', async () => {
  const before = endpoint.requests.length;
  expect(await json('rerun', 'game', '--id', 'again', '--yes')).toMatchObject({ status: 'success' });
  expect(endpoint.requests.length).toBe(before);
  const kept = readFileSync(join(treeOf('again'), '.elisa/context/nugget_context.md'), 'utf8');
  expect([...kept.matchAll(/^## (.*)/gm)].map(([, heading]) => heading).sort()).toEqual(
    ['Workspace', ...TASKS.tasks.map(({ id }) => id)].sort(),
  );
});

it('build open serves the page that was built, until it is interrupted', async () => {
  mkdirSync(join(treeOf('game'), 'public'));
  writeFileSync(join(treeOf('game'), 'public', 'index.html'), '<p>Asteroids');
  const opened = project.start('build', 'open', 'game');
  let said = '';
  opened.process.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const address = await until(() => /^http:\/\/127\.0\.0\.1:\d+\/$/m.exec(said)?.[0]);
  expect(await (await fetch(address)).text()).toBe('<p>Asteroids');
  opened.process.kill('SIGINT');
  expect(await opened.finished).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Serving `public`') as string,
  });
  await expect(fetch(address)).rejects.toThrow();
});

it.each([
  ['opens no run', ['open'], 'Expected the run that built it.'],
  ['opens a run that nobody knows', ['open', 'nothing'], 'There is no run `nothing`.'],
  ['names no run that is known', ['fix', 'nothing', 'Mend it.'], 'There is no run `nothing`.'],
  ['says not what to change', ['fix', 'hello'], 'Expected the run that built it, and what is to be changed.'],
  ['gives a spec more than a spec', ['definitions/builds/game.yml', 'more'], '`build` takes one spec.'],
])('starts nothing where it %s', async (_what, args, message) => {
  expect(await project.run('build', ...args)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message) as string,
  });
});

it('mends nothing that was not built', async () => {
  await project.run('run', 'hello.yml', '--id', 'hello');
  expect(await project.run('build', 'fix', 'hello', 'Mend it.')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The run `hello` built nothing: it is no run of a build spec.') as string,
  });
});
