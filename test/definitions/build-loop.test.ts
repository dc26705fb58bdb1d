// @module-tag git
// @module-tag sandbox
// @seconds 120
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuildReport } from '../../src/cli/build/report/report.js';
import type { RunResult } from '../../src/plan/result.js';
import type { Answer } from '../fakes/model-endpoint.js';
import { COUNTER, COUNTER_SPEC, mendCounter, planOf, task, taskOf, TASKS, team, TEST, write } from './counter-build.js';
import type { ShippedProject, Voices, Waiting } from './shipped-project.js';
import { nextGate, openShippedProject } from './shipped-project.js';

/** A script that makes the page for others. */
const MAKE_PAGE =
  "import { cpSync } from 'node:fs';\nfor (const name of ['index.html', 'counter.js']) cpSync(name, `dist/${name}`);\n";

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
  mkdirSync(join(project.folder, 'definitions', 'builds'), { recursive: true });
});
afterAll(async () => {
  await project.close();
});

function build(voices: Voices, args: string[] = [], workflow: object = {}, spec: object = {}) {
  writeFileSync(
    join(project.folder, 'definitions', 'builds', 'counter.yml'),
    JSON.stringify({ ...COUNTER_SPEC, ...spec, workflow }),
  );
  return project.run('../builds/counter.yml', args, voices);
}

/** The one gate that waits in a run, decided. */
async function answer(run: string, option: string): Promise<Waiting> {
  const gate = await nextGate(project, run);
  const { code, stderr } = await project.perdure('answer', gate.gate, option);
  expect({ code, gate }, stderr).toMatchObject({ code: 0 });
  return gate;
}

describe('a build', () => {
  it('has what a review and the tests find mended by the builder, and is a success only then', async () => {
    const { code, result, told } = await build(team(1, mendCounter));
    expect({ code, status: result.status, error: result.error }, told).toEqual({
      code: 0,
      status: 'success',
      error: null,
    });
    expect(result.output).toMatchObject({
      commands: { test_command: ['node', '--test'], page: 'index.html' },
      tests: { ok: true, passed: 1, failed: 0 },
    });
    const { folder, commits } = project.tree(result.run);
    expect(readFileSync(join(folder, 'counter.js'), 'utf8')).toBe(COUNTER(1));
    expect(commits()).toEqual([
      'Bo: Set up',
      'Bo: Count',
      'Tess: Test',
      'Bo: mend what was found by: Review',
      'Bo: make the tests pass',
    ]);
    const report = JSON.parse((await project.perdure('build', 'report', result.run, '--json')).stdout) as BuildReport;
    expect(report.requirements).toMatchObject([
      { description: 'A click adds one.', tasks: ['task-1', 'task-2', 'task-3', 'task-4'], done: true },
    ]);
    expect(report.tasks.map(({ commits }) => commits?.map(({ subject }) => subject))).toEqual([
      ['Bo: Set up'],
      ['Bo: Count'],
      ['Tess: Test'],
      ['Bo: mend what was found by: Review'],
    ]);
    expect(report).toMatchObject({ others: [{ subject: 'Bo: make the tests pass' }], tests: { result: 'passed' } });
    expect(existsSync(join(project.folder, 'counter.js'))).toBe(false);
    expect(await project.perdure('workspace', 'apply', result.run)).toMatchObject({ code: 0 });
    expect(readFileSync(join(project.folder, 'counter.js'), 'utf8')).toBe(COUNTER(1));
    for (const name of ['package.json', 'index.html', 'counter.js', 'counter.test.mjs'])
      rmSync(join(project.folder, name));
    const tokensOf = (costs: object = {}): object =>
      Object.fromEntries(Object.entries(costs).map(([name, cost]) => [name, (cost as { tokens: number }).tokens / 15]));
    // Questions, of 15 tokens each; a task has those who mended it, too.
    expect(tokensOf(result.costs?.tasks)).toEqual({
      plan: 1,
      'task-1': 2,
      'task-2': 2,
      'task-3': 2,
      'task-4': 4,
      tests: 2,
    });
    expect(tokensOf(result.costs?.roles)).toEqual({ planner: 1, builder: 8, tester: 2, reviewer: 2 });
    expect(result.spend.tokens).toBe(13 * 15);
    const { stdout } = await project.perdure('show', result.run);
    expect(stdout).toMatch(/by task {2}plan .*15 tokens\n[^]*by role {2}planner .*15 tokens\n +builder .* 120 tokens/);
    const asked = project.asked('of a team that builds').map(({ messages }) => messages[0]?.text ?? '');
    expect(asked.some((text) => text.includes('Say what it is for.'))).toBe(true);
    const mend = asked.find((text) => text.includes('# Make the tests pass'));
    expect(mend).toContain('1 of 1 tests failed.');
    expect(mend).toContain('a click adds one');
  });

  it('run again takes over what its tasks have committed, with its files, and asks anew who looks at it', async () => {
    const { code, told } = await build(team(0, mendCounter), ['--id', 'once']);
    expect(code, told).toBe(0);
    const before = project.endpoint.requests.length;
    const again = await project.perdure('rerun', 'once', '--id', 'again', '--yes');
    expect(again.code, again.stderr).toBe(0);
    const asked = project.endpoint.requests.slice(before).map(({ system }) => /You are `(\w+)`/.exec(system)?.[1]);
    // The output of the tests says how long they took, so who mends is asked with another question.
    expect(asked).toEqual(['Rita', 'Bo', 'Bo']);
    const { folder, commits } = project.tree('again');
    expect(readFileSync(join(folder, 'counter.js'), 'utf8')).toBe(COUNTER(1));
    expect(commits()).toEqual(project.tree('once').commits());
  });

  it('is mended on top of what it has built, and so is what that came to', async () => {
    const seen: string[] = [];
    const mending = (text: string): Voices => ({
      'of a team that builds': ({ results }) => {
        seen.push(...results.last.map((result) => result.text));
        if (results.count === 0) return { tools: [{ name: 'read_file', input: { path: 'counter.js' } }] };
        return results.count === 1 ? { tools: [write('counter.js', text)] } : { text: 'Mended it.' };
      },
    });
    project.speak(mending(`// Mended.\n${COUNTER(1)}`));
    const first = await project.perdure('build', 'fix', 'once', 'Say what it is.', '--id', 'fix-1', '--yes');
    expect(first.code, first.stderr).toBe(0);
    expect(seen[0]).toContain(COUNTER(1).trim());
    expect(project.tree('fix-1').commits().slice(0, 2)).toEqual(['What once has built', 'Bo: Mend what was built']);
    seen.splice(0);
    project.speak(mending(`// Mended twice.\n${COUNTER(1)}`));
    const second = await project.perdure('build', 'fix', 'fix-1', 'Say it better.', '--id', 'fix-2', '--yes');
    expect(second.code, second.stderr).toBe(0);
    expect(seen[0]).toContain('// Mended.');
    expect(readFileSync(join(project.tree('fix-2').folder, 'counter.js'), 'utf8')).toContain('// Mended twice.');
  });

  it('whose tests stay red asks a person in the end, and is partial when it is taken as it is', async () => {
    const never = (): Answer => ({ tools: [write('notes.md', 'I tried.')] });
    const run = await build(team(0, never), ['--id', 'red', '--no-wait'], { approve_plan: false, max_rounds: 1 });
    expect(run.code, run.told).toBe(4);
    expect(await answer('red', 'take it as it is')).toMatchObject({
      message: "We're having trouble with this part: the tests fail",
      options: ['try again', 'do without it', 'take it as it is', 'stop'],
    });
    const { code } = await project.perdure('watch', 'red');
    const result = JSON.parse((await project.perdure('show', 'red', '--json')).stdout) as RunResult;
    expect({ code, status: result.status }).toEqual({ code: 1, status: 'partial' });
    const { stdout: shown } = await project.perdure('show', result.run);
    expect(shown).toContain(`perdure build fix ${result.run} "…"`);
    expect(result.error).toContain('1 of 1 tests failed.');
    expect(result.output).toMatchObject({ tests: { ok: false, passed: 0, failed: 1 } });
  });

  it('asks a person as soon as a round changes nothing, or only takes back what one before changed', async () => {
    const mends = [COUNTER(3), COUNTER(2), null];
    let mended = 0;
    const again = (): Answer => {
      const text = mends[mended++] ?? null;
      return text === null ? { text: 'It is as it should be.' } : { tools: [write('counter.js', text)] };
    };
    const rules = [{ name: 'small', trigger: 'on_test_fail', prompt: 'Change one line at a time.' }];
    const run = await build(
      team(0, again),
      ['--id', 'vain', '--no-wait'],
      { approve_plan: false, max_rounds: 9 },
      { rules },
    );
    expect(run.code, run.told).toBe(4);
    expect(mended).toBe(2);
    expect(run.told).toContain('What was changed is only taken back');
    await answer('vain', 'try again');
    expect((await project.perdure('watch', 'vain', '--no-wait')).code).toBe(4);
    await answer('vain', 'Look at the sign.');
    const { code, stderr } = await project.perdure('watch', 'vain', '--no-wait');
    expect({ code, mended }).toEqual({ code: 4, mended: 3 });
    expect(stderr).toContain('Nothing was changed.');
    await answer('vain', 'stop');
    expect((await project.perdure('watch', 'vain')).code).toBe(1);
    const [, second, third] = project
      .asked('of a team that builds')
      .map(({ messages }) => messages[0]?.text ?? '')
      .filter((text, index, all) => text.startsWith('# Make the tests pass') && all.indexOf(text) === index);
    expect(second).toMatch(/<changes>[^]*-export const next = \(count\) => count \+ 2;[^]*\+ 3;[^]*<\/changes>/);
    expect(second).toContain('Change one line at a time.');
    expect(third).toContain('Look at the sign.');
  });

  it('has nothing reviewed again that nobody changed', async () => {
    const run = await build(team(99, mendCounter), ['--id', 'same', '--no-wait'], {
      approve_plan: false,
      max_rounds: 9,
    });
    expect(run.code, run.told).toBe(4);
    expect(run.told).toContain('Nothing was changed.');
    expect(run.told).toContain('Say what it is for.');
    await answer('same', 'do without it');
    const { code } = await project.perdure('watch', 'same');
    const reviews = project.asked('You are `Rita`');
    expect({ code, reviews: reviews.length }).toEqual({ code: 1, reviews: 2 });
  });

  it('runs the tests again where who made it start has changed something', async () => {
    const voices = team(0, mendCounter);
    const asked: string[] = [];
    const starting: Voices = {
      ...voices,
      'of a team that builds': (request) => {
        const text = request.messages[0]?.text ?? request.prompt;
        if (!text.startsWith('# Make it start')) return voices['of a team that builds']!(request); // `team` has it
        if (request.results.count > 0) return { text: 'It starts.' };
        asked.push(text);
        return {
          tools: [write('app.js', "console.log('up');\n"), write('counter.js', COUNTER(asked.length === 1 ? 3 : 1))],
        };
      },
    };
    const { code, result, told } = await build(starting, [], { start_command: ['node', 'app.js'] });
    expect({ code, status: result.status, error: result.error }, told).toEqual({
      code: 0,
      status: 'success',
      error: null,
    });
    expect(asked).toHaveLength(2);
    expect(asked[1]).toContain('not ok 1 - a click adds one');
    expect(result.output).not.toHaveProperty('tests.ask');
    expect(readFileSync(join(project.tree(result.run).folder, 'counter.js'), 'utf8')).toBe(COUNTER(1));
  });

  it('has a page that does not build mended by who knows what happened before, and its tests run again', async () => {
    const voices = team(0, mendCounter);
    const asked: string[] = [];
    const building: Voices = {
      ...voices,
      'of a team that builds': (request) => {
        const name = taskOf(request);
        const manifest = { type: 'module', scripts: { build: 'node build.mjs' } };
        if (name === 'Set up' && request.results.count === 2)
          return { tools: [write('package.json', JSON.stringify(manifest))] };
        if (name !== 'Make the page build') return voices['of a team that builds']!(request); // `team` has it
        if (request.results.count > 0) return { text: 'It builds.' };
        asked.push(request.messages[0]?.text ?? request.prompt);
        // Who makes it build breaks what had passed.
        return asked.length === 1
          ? { tools: [write('build.mjs', MAKE_PAGE), write('counter.js', COUNTER(3))] }
          : { tools: [write('counter.js', COUNTER(1))] };
      },
    };
    const { code, result, told } = await build(building, [], {}, { deployment: { target: 'web' } });
    expect({ code, status: result.status, error: result.error }, told).toEqual({
      code: 0,
      status: 'success',
      error: null,
    });
    expect(result.output).toMatchObject({ deploy: { page: { built: true, folder: 'dist' } } });
    const { folder, commits } = project.tree(result.run);
    expect(commits().slice(-3)).toEqual(['Bo: make the tests pass', ...Array(2).fill('Bo: make the page build')]);
    expect(readFileSync(join(folder, 'dist', 'counter.js'), 'utf8')).toBe(COUNTER(1));
    const [first = '', second] = asked;
    expect(first).toContain('`npm run build` ended with exit code 1');
    expect(first).toMatch(/## WHAT HAPPENED BEFORE YOU[^]*task-3: Test[^]*task-1: Set up[^]*Review feedback:/);
    expect(first).toMatch(/Test results, and what was built:[^]*<task name="tests">[^]*"passed": ?1[^]*## FILES/);
    expect(second).toContain('not ok 1 - a click adds one');
    expect(second).toMatch(/## FILES[^]*build\.mjs[^]*<changes>[^]*count \+ 3/);
  });

  it('commits what a task has left, where that failed and a person takes it as it is', async () => {
    const voices = team(0, mendCounter);
    const broken: Voices = {
      ...voices,
      'of a team that builds': (request) =>
        request.results.count > 0 && /^# Count$/m.test(request.messages[0]?.text ?? request.prompt)
          ? { status: 400, message: 'no more' }
          : voices['of a team that builds']!(request), // `team` has it
    };
    const run = await build(broken, ['--id', 'taken', '--no-wait'], { approve_plan: false });
    expect(run.code, run.told).toBe(4);
    expect(await answer('taken', 'take it as it is')).toMatchObject({
      message: "We're having trouble with this part: Count",
    });
    await project.perdure('watch', 'taken');
    const { folder, commits } = project.tree('taken');
    expect(commits()).toContain('Bo: Count');
    expect(existsSync(join(folder, 'counter.js'))).toBe(true);
  });

  it('is ended by nobody’s yes where its tests are red, or nobody approved it', async () => {
    const never = (): Answer => ({ text: 'I tried.' });
    const red = await build(team(0, never), [], { max_rounds: 0 });
    expect({ code: red.code, status: red.result.status }).toEqual({ code: 1, status: 'error' });
    expect(red.told).toContain('the tests fail');
    const rejected = await build(team(99, mendCounter), [], { max_rounds: 1 });
    expect({ code: rejected.code, status: rejected.result.status }).toEqual({ code: 1, status: 'error' });
    expect(rejected.told).toContain('trouble');
  });

  it('takes no tests for a pass that who mends has changed', async () => {
    const cheat = (): Answer => ({ tools: [write('counter.test.mjs', TEST.replace('2)', '3)'))] });
    const { code, result, told } = await build(team(0, cheat), [], { max_rounds: 1 });
    expect({ code, status: result.status }, told).toEqual({ code: 1, status: 'error' });
    expect(told).toContain('the tests fail');
  });

  it('takes no tests for a pass that a builder changed after the tester, and says who did', async () => {
    const cheat = TEST.replace('2)', '3)');
    const polished = (mends: () => Answer): Voices => {
      const voices = team(0, mends);
      return {
        'You plan how': () =>
          planOf([...TASKS.slice(0, 3), task(4, 'Polish', 'Bo', [3]), task(5, 'Review', 'Rita', [4])]),
        'of a team that builds': (request) =>
          taskOf(request) === 'Polish' && request.results.count === 0
            ? { tools: [write('counter.test.mjs', cheat)] }
            : (voices['of a team that builds']?.(request) ?? { text: 'Nothing.' }),
      };
    };
    // Its tests pass, by what they now say.
    const never = await build(
      polished(() => ({ tools: [write('notes.md', 'I tried.')] })),
      [],
      { max_rounds: 1 },
    );
    expect({ code: never.code, status: never.result.status }, never.told).toEqual({ code: 1, status: 'error' });
    expect(never.told).toContain('`counter.test.mjs` by "Bo: Polish"');
    const mended = await build(
      polished(() => ({ tools: [write('counter.test.mjs', TEST), write('counter.js', COUNTER(1))] })),
    );
    expect(mended.result, mended.told).toMatchObject({ status: 'success', output: { tests: { ok: true } } });
    const mend = project.asked('of a team that builds').find((request) => taskOf(request) === 'Make the tests pass');
    expect(mend?.messages[0]?.text).toContain('`counter.test.mjs` by "Bo: Polish"');
  });

  it('tells a task that came to its limit of turns what it did before, and goes on from there', async () => {
    const voices = team(0, mendCounter);
    const told: string[] = [];
    const { result, told: shown } = await build({
      ...voices,
      'of a team that builds': (request) => {
        const asked = request.messages[0]?.text ?? '';
        if (taskOf(request) !== 'Count') return voices['of a team that builds']?.(request) ?? { text: 'Nothing.' };
        if (asked.includes('## Your attempt before this one')) {
          told.push(asked);
          return voices['of a team that builds']?.(request) ?? { text: 'Nothing.' };
        }
        return request.results.count === 0
          ? { text: 'I begin.', tools: [write('half.js', 'export const half = 1;\n')] }
          : { tools: [{ name: 'read_file', input: { path: 'half.js' } }] };
      },
    });
    expect(result, shown).toMatchObject({ status: 'success' });
    expect(told[0]).toMatch(/<ended>\n`task-bo-1` had 20 turns/);
    expect(told[0]).toContain('<last_words>\nI begin.');
    expect(told[0]).toMatch(/<changes>\ndiff --git a\/half\.js b\/half\.js[^]*\+export const half = 1;/);
    expect(told[0]).toMatch(/<last_output>\n[^]*export const half = 1;/);
  });

  it('without tests says that it is not tested', async () => {
    const { code, result, told } = await build(team(0, mendCounter), [], { testing_enabled: false });
    expect({ code, status: result.status }, told).toEqual({ code: 0, status: 'success' });
    expect(result.output).toMatchObject({ tests: { ok: false, result: 'not tested' } });
  });
});
