import { setTimeout as delay } from 'node:timers/promises';
import { beginProcess } from './begin-process.js';
import type { ProcessEnd, ProgramToStart, StartedProcess } from '../started-process.js';

/** From TERM to KILL. A cancelled command is gone within 3 s, and up to 1.2 s pass until the cancellation arrives. */
const GRACE_MS = 1_500;
/** How long pipes may stay open once the group is gone, before we look for who has left it and holds them. */
const DRAIN_MS = 50;
/** Time for the output of a process that was killed to end: a safety net. */
const LAST_DRAIN_MS = 1_000;

export interface ProcessOptions extends ProgramToStart {
  onStdout: (chunk: Buffer) => void;
  onStderr: (chunk: Buffer) => void;
  /** Kills what has left the process group. It is asked only when somebody must have, or may not have. */
  killRest: () => Promise<void>;
  signal: AbortSignal;
  /** What its `pipes` are for; a rejection ends it. Gives what is to be done at its end. */
  attend?: (started: StartedProcess) => Promise<() => void>;
}

/**
 * Runs a program in a process group of its own, and returns when nothing of that group is alive (I5): on abort all are
 * asked to end, then killed; what a program leaves behind when it ends is killed too. Rejects when it cannot be
 * started (as `beginProcess` does).
 */
export async function runProcess({
  onStdout,
  onStderr,
  killRest,
  signal,
  attend,
  ...program
}: ProcessOptions): Promise<ProcessEnd> {
  signal.throwIfAborted();
  const started = await orNothing(beginProcess(program, signal), killRest);
  const { stdout, stderr, closed } = started;
  const onAbort = (): void => void stop(started);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  let leave = (): void => undefined;
  try {
    stdout.on('data', onStdout);
    stderr.on('data', onStderr);
    if (attend !== undefined) leave = await attended(started, attend);
    const end = await orNothing(started.exited, killRest);
    killGroup(started, 'SIGKILL');
    const isDrained = await within(DRAIN_MS, closed);
    if (signal.aborted || !isDrained) {
      await killRest();
      await within(LAST_DRAIN_MS, closed);
    }
    return end;
  } finally {
    leave();
    signal.removeEventListener('abort', onAbort);
    stdout.destroy();
    stderr.destroy();
  }
}

/** A program that cannot be attended to is gone before that is told. */
async function attended(started: StartedProcess, attend: NonNullable<ProcessOptions['attend']>): Promise<() => void> {
  try {
    return await attend(started);
  } catch (error) {
    killGroup(started, 'SIGKILL');
    await started.exited.catch(() => undefined);
    throw error;
  }
}

/** Where nobody can tell of a program any more nothing of it goes on. */
async function orNothing<T>(told: Promise<T>, killRest: () => Promise<void>): Promise<T> {
  try {
    return await told;
  } catch (error) {
    await killRest();
    throw error;
  }
}

async function stop(started: StartedProcess): Promise<void> {
  killGroup(started, 'SIGTERM');
  await Promise.race([started.exited.catch(() => undefined), delay(GRACE_MS)]);
  killGroup(started, 'SIGKILL');
}

/** Signals every process of the group; one that is already gone is what was wanted. */
function killGroup({ pid }: StartedProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
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
