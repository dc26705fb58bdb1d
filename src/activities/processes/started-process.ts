import { spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { once } from 'node:events';
import { namespaceEnd } from './namespace-end.js';

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
  /** What its next descriptor gives it to read; each character a byte. */
  given?: string;
  /**
   * It begins a pid namespace, and tells of it at its last descriptor, as `bwrap --info-fd` does: that ends with it.
   */
  namespace?: true;
}

/** What descriptors are for, each undefined where there is none. */
interface Served {
  given: ProgramToStart['given'] | undefined;
  namespace: ProgramToStart['namespace'] | undefined;
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
  namespace,
}: ProgramToStart): Promise<StartedProcess> {
  const inherited = inherit === undefined ? [] : [inherit];
  const further = Array.from({ length: pipes + pipesOf({ given, namespace }) }, () => 'pipe' as const);
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
  const whole = serve(sockets.slice(pipes), { given, namespace });
  return { pid, stdout, stderr, pipes: ours, exited: exited.then((end) => whole().then(() => end)), closed };
}

/** How many descriptors a program gets for what it is given, and for what it tells. */
export function pipesOf({ given, namespace }: Served): number {
  return (given === undefined ? 0 : 1) + (namespace === undefined ? 0 : 1);
}

/**
 * Serves those descriptors, in this order: writes what the program reads, which it need not do, and reads what it
 * tells. Returns how to wait, when the program has ended, until all of it has.
 */
export function serve(sockets: Duplex[], { given, namespace }: Served): () => Promise<void> {
  if (given !== undefined) {
    const [input] = sockets;
    input?.on('error', () => undefined);
    input?.end(Buffer.from(given, 'latin1'));
  }
  const info = namespace === undefined ? undefined : sockets.at(-1);
  return info === undefined ? () => Promise.resolve() : namespaceEnd(info);
}
