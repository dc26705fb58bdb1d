import { randomBytes } from 'node:crypto';

/** What the worker asks the launcher for: one program, in a process group of its own, without input. */
export interface Launch {
  /** By `launchId`. */
  id: string;
  /** Absolute path of the program, and its arguments. */
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** As of a `ProgramToStart`. */
  given?: string;
  namespace?: true;
}

/** What the launcher tells of it. */
export type LauncherMessage =
  | { kind: 'ready' }
  | { kind: 'started'; id: string; pid: number }
  | { kind: 'refused'; id: string; code: string | null; message: string }
  /** Nothing was started: the worker's socket cannot be reached, because somebody tidied up its folder, say. */
  | { kind: 'cut-off'; id: string }
  | { kind: 'ended'; id: string; code: number | null; signal: NodeJS.Signals | null };

export type OutputStream = 'stdout' | 'stderr';

/** Bytes drawn for an id: whoever does not know it takes part in no launch. */
const ID_BYTES = 16;

/** So long is what a connection begins with; what a program writes follows at once. */
export const HEADER_BYTES = 2 * ID_BYTES + 1;

/** The id of one launch, which nobody can guess: by it the worker knows that a connection comes from its launcher. */
export function launchId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

/** Which program's stream a connection is. */
export function header(id: string, stream: OutputStream): string {
  return `${id}${stream === 'stdout' ? 1 : 2}`;
}

/** Reads what `header` wrote; null for anything else. */
export function parseHeader(text: string): { id: string; stream: OutputStream } | null {
  const [, id, stream] = /^([0-9a-f]{32})([12])$/.exec(text) ?? [];
  return id === undefined ? null : { id, stream: stream === '1' ? 'stdout' : 'stderr' };
}
