// @module-tag postgres
// @module-tag git
// @seconds 90
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Project, Running } from '../project.js';
import { kill, openProject, until } from '../project.js';
import type { PostgresServer } from './server.js';
import { startPostgres } from './server.js';

const CONFIG = 'store: {postgres: "${env.TEAM_STORE}"}\n';

/** `signals` is a folder beside all machines, by which a test holds a step and lets it go. */
const flow = (signals: string): string => `name: flow
workspace: worktree
steps:
  - id: first
    command: [sh, -c, "echo one > made.txt; mkdir -p deep; echo two > deep/other.txt; rm gone.txt; echo x >> kept.txt"]
    commit: Make files
  - id: loose
    command: [sh, -c, "echo loose > loose.txt; chmod +x loose.txt"]
  - id: held
    command: [sh, -c, "cat where > ${signals}/at; while [ ! -e ${signals}/go ]; do sleep 0.1; done; cat made.txt"]
    timeout: 10m
  - id: last
    command: [sh, -c, "cat made.txt deep/other.txt kept.txt loose.txt; test ! -e gone.txt; test -x loose.txt"]
`;

let server: PostgresServer;
let home: Project;
let address: string;
beforeAll(async () => {
  server = await startPostgres();
  home = await openProject({}, { PERDURE_HOST_IDLE_MS: '600000' });
  await home.run('server', 'start');
  ({ address } = JSON.parse((await home.run('server', 'status', '--json')).stdout) as { address: string });
});
afterAll(async () => {
  await home.close();
  await server.remove();
});

/** A machine with a checkout and a home of its own. */
async function machine(url: string, name: string, signals: string): Promise<Project> {
  const own = mkdtempSync(join(tmpdir(), 'perdure-home-'));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  const env = { TEAM_STORE: url, TEMPORAL_ADDRESS: address, HOME: own };
  const here = 'name: here\nsteps:\n  - command: [touch, file]\n';
  const files = {
    'perdure.yml': CONFIG,
    'flow.yml': flow(signals),
    'here.yml': here,
    where: `${name}\n`,
    'kept.txt': 'k\n',
    'gone.txt': '',
  };
  const project = await openProject(files, env);
  onTestFinished(() => project.close());
  execFileSync('git', ['init', '-q'], { cwd: project.folder });
  return project;
}

async function work(project: Project): Promise<Running> {
  const worker = project.start('worker');
  onTestFinished(() => {
    kill(worker.process.pid ?? 0);
  });
  let said = '';
  worker.process.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until(() => said.includes('Ready') || worker.process.exitCode !== null);
  return worker;
}

async function shown(project: Project, run: string): Promise<{ status: string; output: unknown }> {
  return JSON.parse((await project.run('show', run, '--json')).stdout) as { status: string; output: unknown };
}

describe('a run whose workspace travels', () => {
  it('goes on with the same files when the worker that has them is gone, with its whole folder', async () => {
    const url = await server.createDatabase();
    const signals = mkdtempSync(join(tmpdir(), 'perdure-signals-'));
    onTestFinished(() => rmSync(signals, { recursive: true, force: true }));
    const machines = [await machine(url, 'one', signals), await machine(url, 'other', signals)];
    const workers = [await work(machines[0] as Project), await work(machines[1] as Project)];
    expect((await machines[0]?.run('run', 'flow.yml', '--id', 'far', '--detach'))?.code).toBe(0);
    await until(() => existsSync(join(signals, 'at')) && readFileSync(join(signals, 'at'), 'utf8') !== '');
    const listed = await server.query(
      url,
      'select w.holder, k.record from perdure.workspaces w join perdure.workers k on k.id = w.holder',
    );
    const { folder } = JSON.parse(String(listed[0]?.['record'])) as { folder: string };
    const lostAt = machines.findIndex((project) => folder.startsWith(project.folder));
    const [lost, left] = [machines[lostAt], machines[1 - lostAt]] as [Project, Project];
    kill(workers[lostAt]?.process.pid ?? 0);
    rmSync(lost.folder, { recursive: true, force: true });
    const begun = performance.now();
    rmSync(join(signals, 'at'));
    await until(() => existsSync(join(signals, 'at')));
    const tookMs = performance.now() - begun;
    writeFileSync(join(signals, 'go'), '');
    await until(async () => (await shown(left, 'far')).status !== 'running');
    expect(await shown(left, 'far')).toMatchObject({ status: 'success', output: 'one\ntwo\nk\nx\nloose' });
    expect(tookMs).toBeLessThan(30_000);
    const diff = await left.run('workspace', 'diff', 'far');
    expect(diff.stdout).toContain('+one');
  });

  it('is drained from worker to worker, three of them, and begins with the files of who submits', async () => {
    const url = await server.createDatabase();
    const signals = mkdtempSync(join(tmpdir(), 'perdure-signals-'));
    onTestFinished(() => rmSync(signals, { recursive: true, force: true }));
    const submitter = await machine(url, 'submitter', signals);
    const machines = await Promise.all(['a', 'b', 'c'].map((name) => machine(url, name, signals)));
    const workers = await Promise.all(machines.map(work));
    const first = await submitter.run('run', 'here.yml');
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('have 3 of them')]);
    expect((await submitter.run('run', 'flow.yml', '--id', 'near', '--detach')).code).toBe(0);
    const holders: string[] = [];
    while (holders.length < machines.length) {
      await until(() => existsSync(join(signals, 'at')) && readFileSync(join(signals, 'at'), 'utf8') !== '');
      expect(readFileSync(join(signals, 'at'), 'utf8')).toBe('submitter\n');
      const [row] = await server.query(
        url,
        'select k.record from perdure.workspaces w join perdure.workers k on k.id = w.holder',
      );
      const { folder, pid } = JSON.parse(String(row?.['record'])) as { folder: string; pid: number };
      holders.push(folder);
      if (holders.length === machines.length) break;
      rmSync(join(signals, 'at'));
      kill(pid, 'SIGTERM');
      const ended = await workers.find(({ process: child }) => child.pid === pid)?.finished;
      expect(ended?.code).toBe(0);
    }
    expect(new Set(holders).size).toBe(3);
    writeFileSync(join(signals, 'go'), '');
    await until(async () => (await shown(submitter, 'near')).status !== 'running');
    expect(await shown(submitter, 'near')).toMatchObject({ status: 'success', output: 'one\ntwo\nk\nx\nloose' });
    expect((await submitter.run('workspace', 'apply', 'near')).code).toBe(0);
    expect(await submitter.read('made.txt')).toBe('one\n');
    expect(existsSync(join(submitter.folder, 'gone.txt'))).toBe(false);
  });
});
