// @module-tag git
// @seconds 25
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../src/plan/values/json.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const ECHO = 'name: echo\nsteps:\n  - command: [sh, -c, "echo said"]\n';
const OUTER = 'name: outer\nsteps:\n  - workflow: echo\n  - workflow: echo\n';
const ASKS = 'name: asks\nsteps:\n  - ask: Which?\n  - command: [echo, "${steps[0].output}"]\n';

const TREE =
  'name: tree\nworkspace: worktree\nsteps:\n  - {id: asks, ask: Which?}\n' +
  '  - {id: makes, command: [sh, -c, "echo made > made.txt; date"], commit: Make it}\n';

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'definitions/workflows/echo.yml': ECHO,
    'definitions/workflows/outer.yml': OUTER,
    'definitions/workflows/asks.yml': ASKS,
    'definitions/workflows/tree.yml': TREE,
  });
});
afterAll(() => project.close());

const json = async <T = Json>(...args: string[]): Promise<T> =>
  JSON.parse((await project.run(...args, '--json')).stdout) as T;
const runs = async (): Promise<string[]> => (await json<{ run: string }[]>('list')).map(({ run }) => run).sort();
const inState = (...names: string[]): string => join(project.folder, '.perdure', ...names);

it(
  'removes runs that closed long enough ago, leaves those that are open with what they may need, and takes ' +
    'journals once none is',
  async () => {
    await project.run('run', 'outer', '--id', 'old');
    await project.run('run', 'echo', '--id', 'other');
    expect((await project.run('run', 'asks', '--id', 'waits', '--no-wait')).code).toBe(4);
    // The server lists a run as open for a moment after it has closed.
    await expect.poll(() => json('prune')).toEqual({ runs: [], journals: 0, open: 1 });
    await expect
      .poll(() => json('prune', '--older-than', '0', '--dry-run'))
      .toEqual({ runs: ['old', 'other'], journals: 0, open: 1 });
    expect(await runs()).toEqual(['old', 'other', 'waits']);
    expect(await project.run('prune', '--older-than', '0')).toMatchObject({
      code: 0,
      stdout: 'old\nother\n',
      stderr: expect.stringContaining('Removed 2 runs and 0 journals. 1 open: journals stay until none is.') as string,
    });
    expect([existsSync(inState('logs', 'old')), existsSync(inState('runs', 'old.json'))]).toEqual([false, false]);
    expect((await project.run('answer', 'waits', 'this')).code).toBe(0);
    expect((await project.run('watch', 'waits')).code).toBe(0);
    expect(await json('show', 'waits')).toMatchObject({ status: 'success', output: 'this' });
    // The server forgets what it is told to once it has written down how far it is, which it does twice a minute.
    await expect.poll(runs, { timeout: 200_000, interval: 2_000 }).toEqual(['waits']);
    expect((await project.run('show', 'old')).code).toBe(2);
    // Journals go once no run is open.
    await project.run('run', 'echo', '--id', 'later');
    await writeFile(inState('journal', 'made-agents.ndjson'), '');
    await expect
      .poll(() => json('prune', '--older-than', '0', '--dry-run'))
      .toMatchObject({ runs: ['later', 'waits'], open: 0 });
    const before = await readdir(inState('journal'));
    expect(before.length).toBeGreaterThan(2);
    expect((await json<{ runs: string[]; journals: number }>('prune', '--older-than', '0')).runs).toEqual([
      'later',
      'waits',
    ]);
    // This one is of no run: it says where agents were made.
    expect(await readdir(inState('journal'))).toEqual(['made-agents.ndjson']);
    expect(await readdir(inState('runs'))).toEqual([]);
  },
);

it('leaves what a rerun that is open takes its work from, and what that was a rerun of', async () => {
  const answer = async (run: string): Promise<void> => {
    expect((await project.run('answer', run, 'this')).code).toBe(0);
    expect((await project.run('watch', run)).code).toBe(0);
  };
  const begin = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await project.run(...args, '--no-wait');
    expect(code, stderr).toBe(4);
  };
  await begin('run', 'tree', '--id', 'first');
  await answer('first');
  await begin('rerun', 'first', '--id', 'second');
  await answer('second');
  await begin('rerun', 'second', '--id', 'third');
  await project.run('run', 'echo', '--id', 'alone');
  await expect
    .poll(() => json<{ runs: string[] }>('prune', '--older-than', '0', '--dry-run'))
    .toMatchObject({ runs: expect.arrayContaining(['alone']) as string[], open: 1 });
  const pruned = await json<{ runs: string[] }>('prune', '--older-than', '0');
  expect(pruned.runs).toContain('alone');
  expect(['first', 'second', 'third'].filter((run) => pruned.runs.includes(run))).toEqual([]);
  await answer('third');
  const { steps } = await json<{ steps: Json[] }>('show', 'third');
  expect(steps).toMatchObject([{}, { status: 'success', reused: true }]);
  expect(existsSync(inState('runs', 'first.json'))).toBe(true);
  // Once none is open they go as any.
  await expect
    .poll(() => json<{ runs: string[] }>('prune', '--older-than', '0', '--dry-run'))
    .toMatchObject({ runs: ['first', 'second', 'third'], open: 0 });
});

it('refuses a time that is none', async () => {
  expect(await project.run('prune', '--older-than', 'week')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Expected `--older-than` to be a number of days, got `week`.') as string,
  });
});
