import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Project, Running } from '../project.js';
import { kill, openProject, until } from '../project.js';
import type { PostgresServer } from './server.js';
import { startPostgres } from './server.js';

/** What machines of one team share, and nothing else: a database server, and a Temporal server of a host apart. */
export interface Shared {
  postgres: PostgresServer;
  /** The project whose host has the Temporal server. */
  home: Project;
  /** Of the Temporal server. */
  address: string;
  close: () => Promise<void>;
}

/** Starts both; the host stays as long as a test takes. */
export async function openShared(): Promise<Shared> {
  const postgres = await startPostgres();
  const home = await openProject({}, { PERDURE_HOST_IDLE_MS: '6000000' });
  await home.run('server', 'start');
  const { address } = JSON.parse((await home.run('server', 'status', '--json')).stdout) as { address: string };
  return {
    postgres,
    home,
    address,
    async close() {
      await home.close();
      await postgres.remove();
    },
  };
}

/** A folder beside all machines, by which a test holds steps and lets them go. */
export function signalFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-signals-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A machine with a checkout and a home of its own, as far as files and the environment tell machines apart; `inside`
 * are words before each of its commands, by which it has a network of its own too.
 */
export async function openMachine(
  files: Record<string, string>,
  env: Record<string, string>,
  inside: string[] = [],
): Promise<Project> {
  const own = mkdtempSync(join(tmpdir(), 'perdure-home-'));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  const config = 'store: {postgres: "${env.TEAM_STORE}"}\n';
  const project = await openProject({ 'perdure.yml': config, ...files }, { ...env, HOME: own }, inside);
  onTestFinished(() => project.close());
  execFileSync('git', ['init', '-q'], { cwd: project.folder });
  return project;
}

/** A worker that polls, and what it has said. */
export interface Working extends Running {
  pid: number;
  said: () => string;
}

/** Starts the worker of a machine, and waits until it polls. */
export async function startWorker(project: Project, ...words: string[]): Promise<Working> {
  const worker = project.start('worker', ...words);
  const pid = worker.process.pid ?? 0;
  onTestFinished(() => kill(pid));
  let said = '';
  worker.process.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until(() => said.includes('Ready') || worker.process.exitCode !== null);
  return { ...worker, pid, said: () => said };
}

/** Where the worker is that has the workspace of a run: its process and state folder; null where nobody has it. */
export async function holderOf(
  server: PostgresServer,
  url: string,
  run: string,
): Promise<{ pid: number; folder: string } | null> {
  const [row] = await server.query(
    url,
    'select k.record from perdure.workspaces w join perdure.workers k on k.id = w.holder where w.run = $1',
    [run],
  );
  // the text of a row that the worker wrote
  return row === undefined ? null : (JSON.parse(String(row['record'])) as { pid: number; folder: string });
}

/** What a run has come to. */
export async function runOn(project: Project, run: string): Promise<{ status: string; output: unknown }> {
  const { stdout } = await project.run('show', run, '--json');
  return stdout === ''
    ? { status: 'unknown', output: null }
    : (JSON.parse(stdout) as { status: string; output: unknown });
}

/** Waits for the end of a run. */
export async function endOf(project: Project, run: string): Promise<{ status: string; output: unknown }> {
  return until(async () => {
    const now = await runOn(project, run);
    return ['running', 'unknown'].includes(now.status) ? null : now;
  });
}
