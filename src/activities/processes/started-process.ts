import { spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { once } from 'node:events';

export interface ProgramToStart {
  /** Absolute path of the program, and its arguments. */
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  stdin: string | null;
  /** A descriptor that the program gets as its fourth, beside the standard ones. */
  inherit?: number;
  /** So many sockets to this process are its next descriptors. */
  pipes?: number;
  /** What its last descriptor gives it to read; each character a byte. */
  given?: string;
}

/** How a process ended: by its own exit code or by a signal. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A program that runs, in a process group that has its pid. */
export interface StartedProcess {
  pid: number;
  stdout: Readable;
  stderr: Readable;
  /** Our ends of its `pipes`. */
  pipes: Duplex[];
  /** Rejects where nobody can tell any more. */
  exited: Promise<ProcessEnd>;
  /** Both streams were read to their end. */
  closed: Promise<true>;
}

/** Starts a program as a child of this process. Rejects with the error of `spawn`. */
export async function spawnProcess({
  file,
  args,
  cwd,
  env,
  stdin,
  inherit,
  pipes = 0,
  given,
}: ProgramToStart): Promise<StartedProcess> {
  const inherited = inherit === undefined ? [] : [inherit];
  const further = Array.from({ length: pipes + (given === undefined ? 0 : 1) }, () => 'pipe' as const);
  const child = spawn(file, args, {
    cwd,
    env,
    detached: true,
    stdio: [stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe', ...inherited, ...further],
  });
  const exited = new Promise<ProcessEnd>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const closed = new Promise<true>((resolve) => child.once('close', () => resolve(true)));
  await once(child, 'spawn');
  const { pid, stdin: input, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) throw new Error('Expected a process with pipes');
  if (input !== null) {
    // A program need not read what it is given: a closed pipe is no failure.
    input.on('error', () => undefined);
    input.end(stdin);
  }
  const sockets = child.stdio.slice(3 + inherited.length) as Duplex[]; // as they were asked for
  const ours = sockets.slice(0, pipes);
  if (given !== undefined) give(sockets[pipes], given);
  return { pid, stdout, stderr, pipes: ours, exited, closed };
}

/** Writes what a program reads from a descriptor. It need not read it. */
export function give(socket: Duplex | undefined, text: string): void {
  socket?.on('error', () => undefined);
  socket?.end(Buffer.from(text, 'latin1'));
}
