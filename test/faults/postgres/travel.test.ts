// @module-tag postgres
// @module-tag git
// @seconds 90
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../project.js';
import { kill, until } from '../project.js';
import type { Shared } from './machines.js';
import { endOf, holderOf, openMachine, openShared, signalFolder, startWorker } from './machines.js';

/** `signals` is a folder beside all machines, by which a test holds a step and lets it go. */
const flow = (signals: string): string => `name: flow
workspace: {kind: worktree, carry: [libs]}
steps:
  - id: first
    command: [sh, -c, "echo one > made.txt; mkdir -p deep; echo two > deep/other.txt; rm gone.txt; echo x >> kept.txt"]
    commit: Make files
  - id: loose
    command: [sh, -c, "echo loose > loose.txt; chmod +x loose.txt"]
  - id: held
    command: [sh, held.sh, "${signals}"]
    timeout: 10m
  - id: last
    command: [sh, -c, "cat made.txt deep/other.txt kept.txt loose.txt; test ! -e gone.txt; test -x loose.txt"]
`;

let shared: Shared;
beforeAll(async () => {
  shared = await openShared();
});
afterAll(() => shared.close());

function machine(url: string, name: string, signals: string): Promise<Project> {
  const here = 'name: here\nsteps:\n  - command: [touch, file]\n';
  const files = {
    'flow.yml': flow(signals),
    'here.yml': here,
    'large.yml': flow('').replace('carry: [libs]', 'carry: [libs], carry_mb: 1'),
    'held.sh': 'cat where libs/whose > $1/at; while [ ! -e $1/go ]; do sleep 0.1; done; cat made.txt\n',
    '.gitignore': 'libs\n',
    where: `${name}\n`,
    'libs/whose': `libs of ${name}\n`,
    'libs/noise': 'x'.repeat(1_100_000),
    'kept.txt': 'k\n',
    'gone.txt': '',
  };
  return openMachine(files, { TEAM_STORE: url, TEMPORAL_ADDRESS: shared.address });
}

/** What the held step has written so far: whole where it has both lines. */
function said(signals: string): string {
  const text = existsSync(join(signals, 'at')) ? readFileSync(join(signals, 'at'), 'utf8') : '';
  return text.split('\n').length > 2 ? text : '';
}

describe('a run whose workspace travels', () => {
  it('goes on with the same files when the worker that has them is gone, with its whole folder', async () => {
    const url = await shared.postgres.createDatabase();
    const signals = signalFolder();
    const machines = [await machine(url, 'one', signals), await machine(url, 'other', signals)];
    const workers = [await startWorker(machines[0] as Project), await startWorker(machines[1] as Project)];
    expect((await machines[0]?.run('run', 'flow.yml', '--id', 'far', '--detach'))?.code).toBe(0);
    await until(() => said(signals) !== '');
    expect(said(signals)).toBe('one\nlibs of one\n');
    const folder = (await holderOf(shared.postgres, url, 'far'))?.folder ?? '';
    const lostAt = machines.findIndex((project) => folder.startsWith(project.folder));
    const [lost, left] = [machines[lostAt], machines[1 - lostAt]] as [Project, Project];
    kill(workers[lostAt]?.process.pid ?? 0);
    rmSync(lost.folder, { recursive: true, force: true });
    const begun = performance.now();
    rmSync(join(signals, 'at'));
    await until(() => said(signals) !== '');
    const tookMs = performance.now() - begun;
    // Those of who submitted, with its checkout gone.
    expect(said(signals)).toBe('one\nlibs of one\n');
    writeFileSync(join(signals, 'go'), '');
    expect(await endOf(left, 'far')).toMatchObject({ status: 'success', output: 'one\ntwo\nk\nx\nloose' });
    // Long before its time limit of ten minutes, on a busy machine too.
    expect(tookMs).toBeLessThan(120_000);
    const diff = await left.run('workspace', 'diff', 'far');
    expect(diff.stdout).toContain('+one');
  });

  it('is drained from worker to worker, three of them, and begins with the files of who submits', async () => {
    const url = await shared.postgres.createDatabase();
    const signals = signalFolder();
    const submitter = await machine(url, 'submitter', signals);
    const machines = await Promise.all(['a', 'b', 'c'].map((name) => machine(url, name, signals)));
    const workers = await Promise.all(machines.map((one) => startWorker(one)));
    const first = await submitter.run('run', 'here.yml');
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('have 3 of them')]);
    const large = await submitter.run('run', 'large.yml', '--id', 'large');
    expect([large.code, large.stderr]).toEqual([
      1,
      expect.stringContaining('`libs` alone 2 MB: expected at most 1 MB'),
    ]);
    expect((await submitter.run('show', 'large')).stderr).toContain('There is no run `large`');
    expect(existsSync(join(submitter.folder, '.perdure', 'worktrees'))).toBe(false);
    expect((await submitter.run('run', 'flow.yml', '--id', 'near', '--detach')).code).toBe(0);
    const holders: string[] = [];
    while (holders.length < machines.length) {
      await until(() => said(signals) !== '');
      expect(said(signals)).toBe('submitter\nlibs of submitter\n');
      const { folder, pid } = await until(() => holderOf(shared.postgres, url, 'near'));
      holders.push(folder);
      if (holders.length === machines.length) break;
      rmSync(join(signals, 'at'));
      kill(pid, 'SIGTERM');
      const ended = await workers.find(({ process: child }) => child.pid === pid)?.finished;
      expect(ended?.code).toBe(0);
    }
    expect(new Set(holders).size).toBe(3);
    writeFileSync(join(signals, 'go'), '');
    expect(await endOf(submitter, 'near')).toMatchObject({ status: 'success', output: 'one\ntwo\nk\nx\nloose' });
    expect((await submitter.run('workspace', 'apply', 'near')).code).toBe(0);
    expect(await submitter.read('made.txt')).toBe('one\n');
    expect(existsSync(join(submitter.folder, 'gone.txt'))).toBe(false);
  });
});
