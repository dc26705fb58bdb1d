// @module-tag git
// @module-tag sandbox
// @seconds 25
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import { openStore } from '../../src/store/local-store.js';
import type { ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';

const SPEC = [
  'nugget: {goal: A game of asteroids., type: game}',
  'audience: {ages: [10, 12]}',
  'narrate: true',
  'agents: [{name: Bea, role: builder}, {name: Tom, role: tester}, {name: Rita, role: reviewer}]',
  'workflow: {approve_plan: false}',
].join('\n');
const task = (id: string, agent_name: string, dependencies: string[]) => ({
  ...{
    id,
    name: `The ${id}`,
    description: 'Make it.',
    acceptance_criteria: ['It is there.'],
    agent_name,
    dependencies,
  },
});
const PLAN = {
  tasks: [task('ship', 'Bea', []), task('score', 'Tom', ['ship']), task('look', 'Rita', ['score'])],
  plan_explanation: 'At once.',
  test_command: ['node', '-e', "console.log('PASS: one')"],
};
const VERDICT = { verdict: 'APPROVED', criteria: [], summary: 'fine.' };
const LESSON = { headline: 'Again and again', explanation: 'A loop does things again.', tell_me_more: 'Much more.' };

let endpoint: ModelEndpoint;
let project: Project;
/** Whatever agents do takes until this holds. */
let enough: () => boolean = () => true;
const asked = (who: string): RecordedRequest[] =>
  endpoint.requests.filter(({ system }) => system.includes(`You are the ${who}`));

beforeAll(async () => {
  let concepts = 0;
  endpoint = await startModelEndpoint(({ system, prompt }) => {
    if (system.includes('You are the narrator'))
      return { text: JSON.stringify({ mood: 'excited', message: `News: ${/"task": "(.*)"/.exec(prompt)?.[1]}` }) };
    if (system.includes('You are the teacher'))
      return { text: JSON.stringify({ concept: `Loops ${(concepts += 1)}`, ...LESSON }) };
    if (system.includes('You plan how')) return { text: JSON.stringify(PLAN) };
    const text = system.includes('`Rita`') ? JSON.stringify(VERDICT) : 'Did it.';
    return { text: '', until: until(() => enough()).then(() => undefined), rest: text };
  });
  project = await openProject(
    {
      'game.yml': SPEC,
      'index.html': '<p>Here.</p>\n',
      'commits.yml': [
        'name: commits',
        'workspace: worktree',
        'steps: [{id: note, command: [touch, note], commit: "Bea: a note"}]',
      ].join('\n'),
      'busy.yml': [
        'name: busy',
        'execution: parallel',
        'budgets: {max_steps: 1000}',
        'steps:',
        '  - id: talks',
        '    command: [sh, -c, "i=0; until [ $i -ge 40 ] && [ -e heard ]; do seq 200; i=$((i+1)); sleep 0.1; done"]',
        '  - id: many',
        '    foreach: "${input_items}"',
        '    command: ["true"]',
      ].join('\n'),
      'items.yml': `input_items: [${Array.from({ length: 150 }, (_, index) => index).join(', ')}]`,
      'sleep.yml': 'name: sleep\nsteps:\n  - id: nap\n    command: [sh, -c, "echo begun; sleep 600"]\n',
    },
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
  );
  execFileSync('git', ['init', '-q'], { cwd: project.folder });
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

const run = async (...args: string[]): Promise<RunResult> =>
  JSON.parse((await project.run(...args, '--json')).stdout) as RunResult;
const taught = ({ narration }: RunResult): string[] => (narration?.lessons ?? []).map(({ concept }) => concept);

it('a build, its rerun and its mending teach each concept once, fit for its audience', async () => {
  enough = () => asked('narrator').some(({ prompt }) => prompt.includes('"task": "The ship"'));
  const built = await run('build', 'game.yml', '--id', 'game', '--yes');
  expect(`${built.status} ${built.error}`).toBe('success null');
  expect(taught(built)).toEqual(
    expect.arrayContaining(['decomposition', 'architecture', 'source-control', 'code-review', 'testing']),
  );
  const { messages, spend } = built.narration!;
  expect(messages.map(({ text }) => text)).toContain('News: The ship');
  // Each call counts once. The run's end cuts at most one of each, which may not have arrived.
  for (const who of ['narrator', 'teacher'] as const) expect([0, 1]).toContain(spend[who].steps - asked(who).length);
  expect(built.spend.steps).toBeGreaterThan(0);
  for (const who of ['narrator', 'teacher'])
    for (const { system, prompt } of asked(who)) {
      expect(system).toContain('The audience is people of ages 10 to 12.');
      expect(prompt).toContain('A game of asteroids.');
    }
  expect(asked('teacher').every(({ model }) => model === 'claude-sonnet-5-5')).toBe(true);

  const again = await run('rerun', 'game', '--id', 'again', '--yes', '--from', 'build');
  const fixed = await run('build', 'fix', 'again', 'Make it faster.', '--id', 'fixed', '--yes', '--narrate');
  expect([again.status, fixed.status]).toEqual(['success', 'success']);
  const all = [built, again, fixed].flatMap(taught);
  expect(new Set(all).size).toBe(all.length);
  expect(asked('narrator').at(-1)?.system).toContain('ages 10 to 12');
  expect(asked('narrator').at(-1)?.prompt).toContain('A game of asteroids.');
});

it('a run that commits while it is followed teaches source control', async () => {
  // Where the step's end is seen before its commit, the teacher says something of its own about that, too.
  const lessons = taught(await run('run', 'commits.yml', '--id', 'followed', '--narrate'));
  expect(lessons.filter((concept) => !concept.startsWith('loops-'))).toEqual(['source-control']);
});

it('a thousand events a second are told of by a message a task', async () => {
  const busy = run('run', 'busy.yml', '--id', 'busy', '--inputs', 'items.yml', '--narrate');
  const store = await openStore(join(project.folder, '.perdure'));
  const isHeard = async (): Promise<boolean> =>
    (await store.readNarration('busy')).some((line) => line.kind === 'message');
  await Promise.race([until(isHeard), busy]);
  writeFileSync(join(project.folder, 'heard'), '');
  const { status, narration } = await busy;
  expect(status).toBe('success');
  const times = new Map<string, number[]>();
  for (const { task: of, at } of narration!.messages) times.set(of, [...(times.get(of) ?? []), Date.parse(at)]);
  expect([...times.keys()].every((of) => of === 'talks' || of === 'many')).toBe(true);
  for (const all of times.values())
    all.slice(1).forEach((at, index) => expect(at - all[index]!).toBeGreaterThanOrEqual(15_000));
  expect(narration!.messages.length).toBeGreaterThan(0);
});

it('watching ends when the run is cancelled, and nothing is said of that', async () => {
  await project.run('run', 'sleep.yml', '--id', 'nap', '--detach');
  const watching = project.start('watch', 'nap', '--narrate');
  let told = '';
  watching.process.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  await until(() => told.includes('narrator,'));
  await project.run('cancel', 'nap');
  expect(await watching.finished).toMatchObject({ code: 1 });
  expect(told.slice(told.indexOf('cancelled in'))).not.toMatch(/narrator|lesson/);
  const { status, narration, ended_at } = await run('show', 'nap');
  expect(status).toBe('cancelled');
  expect([...narration!.messages, ...narration!.lessons].every(({ at }) => at <= ended_at!)).toBe(true);
});
