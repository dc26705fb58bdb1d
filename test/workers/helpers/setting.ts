import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach } from 'vitest';
import { findServer, stopServer } from '../../../src/workers/server/embedded-server.js';
import { stopHost } from '../../../src/workers/host/host-client.js';
import { readHostFile } from '../../../src/workers/host/host-files.js';
import { isRunning, listProcesses, signalGroup } from '../../../src/workers/processes/processes.js';
import { portsIn } from '../../../src/workers/server/server-command.js';
import { databaseFile } from '../../../src/workers/server/server-database.js';
import { openTemporal } from '../../../src/workers/link/temporal-link.js';
import type { TemporalLink } from '../../../src/workers/link/temporal-link.js';

const folders: string[] = [];
const children: ChildProcess[] = [];

/** A new folder, removed after the test together with every host and server of it. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-test-')));
  folders.push(folder);
  return folder;
}

/** Runs TypeScript-free code in a process of its own; it is ended after the test. */
export function spawnNode(args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  children.push(child);
  return child;
}

/** Ends, after each test of a file, what it started in its folders. Called once at the head of each file. */
export function endWithEachTest(): void {
  afterEach(async () => {
    for (const child of children.splice(0)) if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    for (const folder of folders.splice(0)) {
      await endHost(folder).catch(() => {});
      // What was killed a moment before may have written there meanwhile.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  });
}

async function endHost(stateDir: string): Promise<void> {
  // One that does not answer is killed all the same.
  await stopHost(stateDir).catch(() => false);
  const file = await readHostFile(stateDir);
  if (file !== null && (await isRunning(file.host))) signalGroup(file.host.pid, 'SIGKILL');
  const server = await findServer(stateDir);
  if (server !== null) await stopServer(server);
}

/** Waits for a thing instead of a time. Fails after `ms` with what was waited for. */
export async function waitFor<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  ms = 90_000,
): Promise<T> {
  const until = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`waited ${String(ms)} ms in vain for ${what}`);
    await pause(10);
  }
}

/** The pids of all servers on the database of a state folder. */
export async function serversOn(stateDir: string): Promise<number[]> {
  const database = databaseFile(stateDir);
  return (await listProcesses()).filter(({ argv }) => portsIn(argv, database) !== null).map(({ pid }) => pid);
}

/** Counts, all the time, how many servers there are at once on a database. */
export function watchServers(stateDir: string): { most: () => number; end: () => void } {
  let most = 0;
  const timer = setInterval(() => void serversOn(stateDir).then(({ length }) => (most = Math.max(most, length))), 20);
  return { most: () => most, end: () => clearInterval(timer) };
}

/** Joins or starts the host of a state folder, as a command does. */
export async function openLink(stateDir: string, onProgress: (line: string) => void = () => {}): Promise<TemporalLink> {
  return openTemporal({ project: { stateDir }, config: {}, start: true, onProgress, credentials: () => ({}) });
}

/** Starts a run that nobody works at: data that must be there again. */
export async function leaveRun(link: TemporalLink, id: string): Promise<void> {
  await link.client.workflow.start('kept', { taskQueue: 'nobody', workflowId: id, args: [id] });
}

/** Ids of all runs that the server knows, sorted. */
export async function runsAt(link: TemporalLink): Promise<string[]> {
  const found: string[] = [];
  for await (const { workflowId } of link.client.workflow.list()) found.push(workflowId);
  return found.sort();
}

/** Kill -9 of one process. */
export function kill(pid: number | undefined): void {
  if (pid === undefined) throw new Error('nothing to kill');
  process.kill(pid, 'SIGKILL');
}

export function readText(...path: string[]): string {
  return readFileSync(join(...path), 'utf8');
}
