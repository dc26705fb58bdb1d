import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A running `perdure` command. */
export interface Running {
  process: ChildProcess;
  finished: Promise<Finished>;
}

/** A project folder of its own, with the real command line on it. */
export interface Project {
  folder: string;
  /** Starts `perdure …` in the folder. */
  start(...args: string[]): Running;
  /** Runs `perdure …` to its end. */
  run(...args: string[]): Promise<Finished>;
  /** The same in a folder below it. */
  runIn(below: string, ...args: string[]): Promise<Finished>;
  /** Pids that `.perdure/host.json` names now. */
  pids(): Promise<{ host: number | null; server: number | null }>;
  read(name: string): Promise<string>;
  close(): Promise<void>;
}

export async function openProject(
  files: Record<string, string>,
  env: Record<string, string> = {},
  inside: string[] = [],
): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-faults-'));
  for (const [name, text] of Object.entries({ 'perdure.yml': '{}\n', ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return projectAt(folder, env, inside);
}

/** The same in a folder that is there; `inside` are words before each command, by which it runs elsewhere. */
export function projectAt(folder: string, env: Record<string, string> = {}, inside: string[] = []): Project {
  const started: Running[] = [];
  const start = (...args: string[]): Running => {
    const running = command(folder, args, { env, inside });
    started.push(running);
    return running;
  };
  const run = (...args: string[]): Promise<Finished> => start(...args).finished;
  return {
    folder,
    start,
    run,
    runIn: (below, ...args) => command(join(folder, below), args, { env, inside }).finished,
    pids: () => pidsOf(folder),
    read: (name) => readFile(join(folder, name), 'utf8').catch(() => ''),
    close: async () => {
      if (existsSync(folder)) await run('server', 'stop');
      const { host, server } = await pidsOf(folder);
      for (const pid of [host, server]) if (pid !== null) kill(pid);
      // A `watch` waits for the host to come back.
      for (const { process: child } of started) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

function command(
  folder: string,
  args: string[],
  { env, inside }: { env: Record<string, string>; inside: string[] },
): Running {
  const [file, ...words] = [...inside, process.execPath, MAIN, ...args] as [string, ...string[]]; // it has two at least
  const child = spawn(file, words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PERDURE_TEMPORAL_BIN: process.env['PERDURE_TEMPORAL_BIN'],
      PERDURE_TEST_RUN: process.env['PERDURE_TEST_RUN'],
      ...env,
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
  return { process: child, finished };
}

async function pidsOf(folder: string): Promise<{ host: number | null; server: number | null }> {
  try {
    const file = JSON.parse(await readFile(join(folder, '.perdure', 'host.json'), 'utf8')) as {
      host?: { pid: number };
      server?: { pid: number } | null;
    };
    return { host: file.host?.pid ?? null, server: file.server?.pid ?? null };
  } catch {
    return { host: null, server: null };
  }
}

/** `kill -9`, or another signal; a process that is gone already is no error. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone.
  }
}

/** Waits until something is so, by asking again and again. */
export async function until<T>(
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
