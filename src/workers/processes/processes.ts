import { readdir, readFile } from 'node:fs/promises';
import { runProgram } from '../../store/processes/run-program.js';

/** A process, named so that a reused pid is not taken for it. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in the system's own words; only ever compared for equality. */
  started: string;
}

/** A running process and its command line. */
export interface ListedProcess {
  pid: number;
  argv: string[];
}

const hasProc = process.platform === 'linux';

/** When a process started, or null when it is gone (a zombie is gone). */
export async function startOf(pid: number): Promise<string | null> {
  if (!hasProc) return startByPs(pid);
  const fields = await statFields(pid);
  // Fields 3, 20 and 22 of proc(5): the state, the number of threads, and the start in clock ticks since boot. Once
  // its first thread has ended, a process is a zombie, but has its locks, sockets and memory until the last one ends.
  const hasEnded = fields === null || fields[0] === 'X' || (fields[0] === 'Z' && Number(fields[17]) <= 1);
  return hasEnded ? null : (fields[19] ?? null);
}

/** Names a running process; null when there is none. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  const started = await startOf(pid);
  return started === null ? null : { pid, started };
}

/** Tells whether this very process still runs. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await startOf(identity.pid)) === identity.started;
}

/** Tells whether a process was stopped (SIGSTOP, Ctrl-Z) and stands still. */
export async function isStopped(pid: number): Promise<boolean> {
  const state = hasProc ? (await statFields(pid))?.[0] : await psOf(pid, 'stat=');
  return state?.toUpperCase().startsWith('T') ?? false;
}

/** Every process whose command line we may read. */
export async function listProcesses(): Promise<ListedProcess[]> {
  if (!hasProc) return listByPs();
  const listed = await Promise.all((await pids()).map(async (pid) => ({ pid, argv: await argvOf(pid) })));
  return listed.filter(({ argv }) => argv.length > 0);
}

/** Ends a process group, or the process alone where it leads none. Nothing happens when it is gone. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    signalProcess(pid, signal);
  }
}

/** Signals one process. Nothing happens when it is gone. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, which is what a signal is sent for.
  }
}

/** Fields of `/proc/<pid>/stat` from the state on: the name before them may contain spaces and parentheses. */
async function statFields(pid: number): Promise<string[] | null> {
  const stat = await readOr(`/proc/${String(pid)}/stat`);
  const end = stat.lastIndexOf(')');
  return end < 0 ? null : stat.slice(end + 2).split(' ');
}

async function pids(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

async function argvOf(pid: number): Promise<string[]> {
  const text = await readOr(`/proc/${String(pid)}/cmdline`);
  return text === '' ? [] : text.replace(/\0$/, '').split('\0');
}

async function readOr(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return '';
  }
}

async function startByPs(pid: number): Promise<string | null> {
  const [state, ...start] = (await psOf(pid, 'stat=,lstart=')).split(/\s+/);
  return state === undefined || state === '' || state.startsWith('Z') ? null : start.join(' ');
}

/** What `ps` says of a process; nothing when it is gone. */
async function psOf(pid: number, columns: string): Promise<string> {
  return (await ps('-o', columns, '-p', String(pid))).trim();
}

/** `ps` does not show where one argument ends, so an argument with white space comes in pieces. */
async function listByPs(): Promise<ListedProcess[]> {
  return (await ps('-Awwo', 'pid=,args=')).split('\n').flatMap((line) => {
    const [pid, ...argv] = line.trim().split(/\s+/);
    return pid === undefined || pid === '' ? [] : [{ pid: Number(pid), argv }];
  });
}

async function ps(...args: string[]): Promise<string> {
  return (await runProgram('ps', args, { env: process.env })).stdout;
}
