/** What the worker asks the launcher for: one program, in a process group of its own, without input. */
export interface Launch {
  /** Counts the launches of a worker. */
  id: number;
  /** Absolute path of the program, and its arguments. */
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** As of a `ProgramToStart`. */
  given?: string;
}

/** What the launcher tells of it. */
export type LauncherMessage =
  | { kind: 'ready' }
  | { kind: 'started'; id: number; pid: number }
  | { kind: 'refused'; id: number; code: string | null; message: string }
  /** Nothing was started: the worker's socket cannot be reached, because somebody tidied up its folder, say. */
  | { kind: 'cut-off'; id: number }
  | { kind: 'ended'; id: number; code: number | null; signal: NodeJS.Signals | null };

export type OutputStream = 'stdout' | 'stderr';

const ID_DIGITS = 10;

/** So long is what a connection begins with; what a program writes follows at once. */
export const HEADER_BYTES = ID_DIGITS + 1;

/** Which program's stream a connection is. */
export function header(id: number, stream: OutputStream): string {
  return `${String(id).padStart(ID_DIGITS, '0')}${stream === 'stdout' ? 1 : 2}`;
}

/** Reads what `header` wrote; null for anything else. */
export function parseHeader(text: string): { id: number; stream: OutputStream } | null {
  const [, id, stream] = /^(\d{10})([12])$/.exec(text) ?? [];
  return id === undefined ? null : { id: Number(id), stream: stream === '1' ? 'stdout' : 'stderr' };
}
