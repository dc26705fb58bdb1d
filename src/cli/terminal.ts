import { userInfo } from 'node:os';
import type { Palette } from './render/colors.js';
import { usageError } from './exit-codes.js';
import { createPalette } from './render/colors.js';
import { safeJson, safeLine } from './render/safe-text.js';

/** The outside of the command line: streams, environment, folder. Everything that a command prints goes through it. */
export interface Terminal {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** A person is there: keys can be read and the tree can be redrawn. */
  interactive: boolean;
  /** For stderr: the tree, progress and hints. */
  palette: Palette;
  /** For stdout: results. */
  resultPalette: Palette;
}

const DEFAULT_WIDTH = 80;
const DEFAULT_HEIGHT = 24;
const NARROWEST = 20;

/** The terminal of this process. */
export function createTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const dumb = env['TERM'] === 'dumb';
  const colors = !env['NO_COLOR'] && !dumb;
  return {
    stdin, stdout, stderr, env,
    cwd: process.cwd(),
    interactive: Boolean(stdin.isTTY && stderr.isTTY) && !dumb,
    palette: createPalette(colors && Boolean(stderr.isTTY)),
    resultPalette: createPalette(colors && Boolean(stdout.isTTY)),
  };
}

/** Columns that lines may fill: one less than there are, so that no line wraps by itself. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return Math.max(NARROWEST, stream.isTTY ? (stream.columns || DEFAULT_WIDTH) - 1 : DEFAULT_WIDTH);
}

export function heightOf(stream: NodeJS.WriteStream): number {
  return stream.rows || DEFAULT_HEIGHT;
}

/** Writes lines for people to stderr. */
export function tell(terminal: Terminal, ...lines: string[]): void {
  for (const line of lines) terminal.stderr.write(`${line}\n`);
}

/** Writes what was asked for to stdout. */
export function print(terminal: Terminal, ...lines: string[]): void {
  for (const line of lines) terminal.stdout.write(`${line}\n`);
}

/** Writes the one document of `--json`. */
export function printJson(terminal: Terminal, document: unknown): void {
  terminal.stdout.write(`${safeJson(document, 2)}\n`);
}

const LONGEST_NAME = 200;

/** Who acts: `--as`, else the OS user. A name, not a proof. Throws a usage error for what is no name on one line. */
export function actingName(as: string | null): string {
  if (as !== null) {
    if (as !== '' && as.length <= LONGEST_NAME && as === safeLine(as)) return as;
    throw usageError(`Expected \`--as\` to be a name on one line of at most ${LONGEST_NAME} characters, got \`${safeLine(as).slice(0, LONGEST_NAME)}\`.`);
  }
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // a user id without an entry in the password file has no name
  }
}
