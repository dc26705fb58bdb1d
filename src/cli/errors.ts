import { shortWords } from '../plan/text/short-words.js';
import type { ExitCode } from './exit-codes.js';
import { CliError, EXIT } from './exit-codes.js';
import { grpcTrouble } from './grpc.js';
import { safeText } from './text/safe-text.js';
import { ProblemsError } from './session.js';
import type { Terminal } from './terminal.js';
import { printJson, tell, widthOf } from './terminal.js';
import { asTyped } from './text/own-name.js';

/** Tells one error, on stderr for people and as the one document of `--json`, and gives the exit code. */
export async function tellError(terminal: Terminal, error: unknown, json: boolean): Promise<ExitCode> {
  if (error instanceof ProblemsError) return tellProblems(terminal, error, json);
  const { message, hint, exit } = describe(error);
  if (json) printJson(terminal, { error: { message, hint, exit } });
  const [first = '', ...rest] = await linesFor(terminal, `Error: ${shortWords(message)}`, 0);
  tell(terminal, first.replace('Error:', terminal.palette.tone('bad', 'Error:')), ...rest);
  if (hint !== null)
    tell(terminal, ...(await linesFor(terminal, shortWords(asTyped(hint)), 2)).map((line) => `  ${line}`));
  if (terminal.env['PERDURE_DEBUG'] && error instanceof Error) tell(terminal, safeText(error.stack ?? ''));
  return exit;
}

/** A text in lines: as wide as the terminal, between words; whole where another program reads them. */
async function linesFor({ stderr }: Terminal, text: string, indent: number): Promise<string[]> {
  const lines = safeText(text).split('\n');
  if (!stderr.isTTY) return lines;
  const { wrap } = await import('./text/width.js');
  return lines.flatMap((line) => wrap(line, widthOf(stderr) - indent));
}

/** Problems of a definition, in the compiler's layout; nothing was started. */
async function tellProblems(
  terminal: Terminal,
  { problems, sources, files, exit }: ProblemsError,
  json: boolean,
): Promise<ExitCode> {
  if (json) printJson(terminal, { ok: false, problems });
  const { printProblems } = await import('../compiler/problems/print-problems.js');
  tell(terminal, printProblems(problems, sources, { files, color: terminal.palette.colored }).trimEnd());
  return exit;
}

/**
 * What an error means for the person who typed the command. Other modules' errors are known by name: they are not
 * loaded.
 */
function describe(error: unknown): { message: string; hint: string | null; exit: ExitCode } {
  if (error instanceof CliError) return error;
  if (!(error instanceof Error)) return { message: String(error), hint: null, exit: EXIT.ended };
  const locked = keyError(error);
  if (locked !== null) return locked;
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : null;
  if (error.name === 'UnavailableError' || error.name === 'StoreFailure')
    return { message: error.message, hint, exit: EXIT.unavailable };
  if (grpcTrouble(error) === 'connection-lost') {
    return {
      message: `The Temporal server does not answer: ${error.message}`,
      hint: '`perdure doctor` says what is missing.',
      exit: EXIT.unavailable,
    };
  }
  return fileTrouble(error, hint) ?? { message: error.message, hint: terminalHint(error), exit: EXIT.ended };
}

/** A key that is missing, at whatever depth: the SDK wraps what its codecs throw. */
function keyError(error: Error): { message: string; hint: string | null; exit: ExitCode } | null {
  if (error.name !== 'KeyError') return error.cause instanceof Error ? keyError(error.cause) : null;
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : null;
  return { message: error.message, hint, exit: EXIT.keys };
}

/** Why the system refuses a file, where that is nobody's defect. */
const REFUSALS: Record<string, string> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'the file would be too large',
  ENOTDIR: 'a part of the path is no folder',
  ENAMETOOLONG: 'the name is too long',
};

/** Likewise of a file that `writeWhole` was to write. */
const UNWRITABLE: Record<string, string> = {
  ...REFUSALS,
  ENOENT: 'no file can be made there',
  EEXIST: 'something is in the way',
  EISDIR: 'a folder is there',
  ENOTEMPTY: 'a folder is there',
  ELOOP: 'its links lead in a circle',
  EINVAL: 'the file system takes no such name',
  EIO: 'the disk fails',
};

/** There is too little room: the same helps again later. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** A file that cannot be read or written as things stand. Of a write to one that is open the system names none. */
function fileTrouble(
  error: Error,
  hint: string | null,
): { message: string; hint: string | null; exit: ExitCode } | null {
  if (!('code' in error && 'syscall' in error)) return null;
  const isWrite = error.syscall === 'write';
  const isNamed = 'path' in error;
  const why = (isWrite && isNamed ? UNWRITABLE : REFUSALS)[String(error.code)];
  if (why === undefined || (!isNamed && !isWrite)) return null;
  const file = isNamed ? ` \`${String(error.path)}\`` : '';
  const usual =
    NO_ROOM.has(String(error.code)) && !isNamed ? 'Make room, and do it again.' : 'Change that, or name another place.';
  return {
    message: `Cannot ${String(error.syscall)}${file}: ${why} (${String(error.code)}).`,
    hint: hint ?? (isWrite ? usual : null),
    exit: EXIT.unavailable,
  };
}

function terminalHint({ name }: Error): string | null {
  return name === 'Error' || name === 'TypeError' || name === 'RangeError'
    ? 'This is not expected. `PERDURE_DEBUG=1` shows where it comes from.'
    : null;
}
