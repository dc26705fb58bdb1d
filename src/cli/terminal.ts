import { userInfo } from 'node:os';
import type { Palette } from './text/colors.js';
import { usageError } from './exit-codes.js';
import { createPalette } from './text/colors.js';
import type { Output } from './output.js';
import { standardOutputs, writeResult, writeText } from './output.js';
import { escapeHidden, shownText } from '../plan/text/safe-text.js';
import { safeJson, safeLine } from './text/safe-text.js';

/** The outside of the command line: streams, environment, folder. Everything that a command prints goes through it. */
export interface Terminal {
  stdin: NodeJS.ReadStream;
  stdout: Output;
  stderr: Output;
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

/** The terminal of this process, whose current folder is `cwd`. */
export function createTerminal(cwd: string): Terminal {
  const { stdin, env } = process;
  const { stdout, stderr } = standardOutputs();
  const dumb = env['TERM'] === 'dumb';
  const colors = !env['NO_COLOR'] && !dumb;
  return {
    stdin,
    stdout,
    stderr,
    env,
    cwd,
    interactive: Boolean(stdin.isTTY && stderr.isTTY) && !dumb,
    palette: createPalette(colors && Boolean(stderr.isTTY)),
    resultPalette: createPalette(colors && Boolean(stdout.isTTY)),
  };
}

/** Columns that lines may fill: one less than there are, so that no line wraps by itself. */
export function widthOf(stream: Output): number {
  return Math.max(NARROWEST, stream.isTTY ? (stream.columns || DEFAULT_WIDTH) - 1 : DEFAULT_WIDTH);
}

/** Columns of lines that people read; unlimited where another program reads them, which breaks none. */
export function readingWidthOf(stream: Output): number {
  return stream.isTTY ? widthOf(stream) : Infinity;
}

export function heightOf(stream: Output): number {
  return stream.rows || DEFAULT_HEIGHT;
}

/** Writes lines for people to stderr. */
export function tell(terminal: Terminal, ...lines: string[]): void {
  for (const line of lines) writeText(terminal.stderr, `${line}\n`, terminal.palette.colored);
}

/** Writes what was asked for to stdout, for people. */
export function print(terminal: Terminal, ...lines: string[]): void {
  for (const line of lines) writeText(terminal.stdout, `${line}\n`, terminal.resultPalette.colored);
}

/** Writes a result to stdout: byte for byte where another program reads it. */
export function printResult(terminal: Terminal, text: string | Uint8Array): void {
  writeResult(terminal.stdout, text, terminal.resultPalette.colored);
}

/** Writes the one document of `--json`. */
export function printJson(terminal: Terminal, document: unknown): void {
  writeText(terminal.stdout, `${safeJson(document, 2)}\n`, false);
}

/** Tells whether a text is one line of characters that are drawn, without spaces around it. */
export function isOneLine(text: string): boolean {
  return text !== '' && text === shownText(safeLine(text)) && text === escapeHidden(text);
}

const LONGEST_NAME = 200;

/** Who acts: `--as`, else the OS user. A name, not a proof. Throws a usage error for what is no name on one line. */
export function actingName(as: string | null): string {
  if (as !== null) {
    if (as.length <= LONGEST_NAME && isOneLine(as)) return as;
    throw usageError(
      `Expected \`--as\` to be a name on one line of at most ${LONGEST_NAME} characters, got ` +
        `\`${as.slice(0, LONGEST_NAME)}\`.`,
    );
  }
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // a user id without an entry in the password file has no name
  }
}
