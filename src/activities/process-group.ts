import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** From TERM to KILL. A cancelled command is gone within 3 s, and up to 1.2 s pass until the cancellation arrives. */
const GRACE_MS = 1_500;
/** How long pipes may stay open once the group is gone, before we look for who has left it and holds them. */
const DRAIN_MS = 50;
/** The same when that was killed: a safety net. */
const LAST_DRAIN_MS = 1_000;

export interface ProcessOptions {
  /** Absolute path of the program, and its arguments. */
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  stdin: string | null;
  /** A descriptor that the program gets as its fourth, beside the standard ones. */
  inherit?: number;
  onStdout: (chunk: Buffer) => void;
  onStderr: (chunk: Buffer) => void;
  /** Kills what has left the process group. It is asked only when somebody must have, or may not have. */
  killRest: () => Promise<void>;
  signal: AbortSignal;
}

/** How a process ended: by its own exit code or by a signal. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Runs a program in a process group of its own, and returns when nothing of that group is alive (I5): on abort all are
 * asked to end, then killed; what a program leaves behind when it ends is killed too. Rejects when it cannot be
 * started (with the error of `spawn`).
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const { file, args, cwd, env, stdin, signal } = options;
  signal.throwIfAborted();
  const extra = options.inherit === undefined ? [] : [options.inherit];
  const child = spawn(file, args, { cwd, env, detached: true, stdio: [stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe', ...extra] });
  const exited = exitOf(child);
  const closed = new Promise<true>((resolve) => child.once('close', () => resolve(true)));
  const onAbort = (): void => void stop(child, exited);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    child.stdout?.on('data', options.onStdout);
    child.stderr?.on('data', options.onStderr);
    feed(child, stdin);
    const end = await exited;
    killGroup(child, 'SIGKILL');
    const isDrained = await within(DRAIN_MS, closed);
    if (signal.aborted || !isDrained) {
      await options.killRest();
      await within(LAST_DRAIN_MS, closed);
    }
    return end;
  } finally {
    signal.removeEventListener('abort', onAbort);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

function exitOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** A program need not read what it is given: a closed pipe is no failure. */
function feed(child: ChildProcess, stdin: string | null): void {
  if (stdin === null || child.stdin === null) return;
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
}

async function stop(child: ChildProcess, exited: Promise<ProcessEnd>): Promise<void> {
  killGroup(child, 'SIGTERM');
  await Promise.race([exited.catch(() => undefined), delay(GRACE_MS)]);
  killGroup(child, 'SIGKILL');
}

/** Signals every process of the group; one that is already gone is what was wanted. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: nothing of it is alive.
  }
}

/** Waits until both pipes were read to their end, and tells whether they were in that time. */
async function within(limitMs: number, closed: Promise<true>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), limitMs)));
  const isClosed = await Promise.race([closed, late]);
  clearTimeout(timer);
  return isClosed;
}
