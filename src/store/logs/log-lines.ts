import { appendFileSync, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolders, PRIVATE_FILE, requireRoot } from '../folders/root.js';
import { errorCode } from '../store-failure.js';
import type { LogLine } from './line.js';

/** A longer text becomes several lines, so that a reader's buffer has a bound. */
export const LINE_CHARACTERS = 64 * 1024;
/** One call of `readLog` reads this much; it ends in a whole line, since a line is shorter even if all is escaped. */
export const READ_BYTES = 1024 * 1024;

/** A text as lines of a log; none of them ends between the two halves of a character. */
export function* linesOf(stream: LogLine['stream'], text: string, at = new Date().toISOString()): Generator<LogLine> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    const full = start + LINE_CHARACTERS;
    end = (text.codePointAt(full - 1) ?? 0) > 0xffff ? full - 1 : full;
    yield { at, stream, text: text.slice(start, end) };
  }
}

/** As they stand in a file. */
export function formatLines(lines: readonly LogLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Whole lines of a file. A damaged one is left out: the rest of a log is still worth reading. */
export function parseLines<L extends LogLine>(content: Buffer): L[] {
  return content
    .toString('utf8')
    .split('\n')
    .flatMap((text) => {
      try {
        return text === '' ? [] : [JSON.parse(text) as L]; // Only this store's writers write such files.
      } catch {
        return [];
      }
    });
}

/**
 * Opens a file of lines; a half one that a crash or a full disk left is ended first, so that the next one stands alone.
 */
export function openForLines(path: string): number {
  const file = openInFolder(path);
  endHalfLine(file);
  return file;
}

/** Makes a file of lines before it is opened, away from this thread. What goes wrong is told when it is opened. */
export async function makeForLines(path: string): Promise<void> {
  try {
    makeFolders(dirname(path));
    await (await open(path, 'a+', PRIVATE_FILE)).close();
  } catch {
    // See above.
  }
}

/** Ends what a full disk has left of a line. */
export function endHalfLine(file: number): void {
  const { size } = fstatSync(file);
  if (size === 0) return;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  if (last.toString() !== '\n') appendFileSync(file, '\n');
}

/** The folder is made only when it is missing, because it nearly never is. */
function openInFolder(path: string): number {
  requireRoot(path);
  try {
    return openSync(path, 'a+', PRIVATE_FILE);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makeFolders(dirname(path));
    return openSync(path, 'a+', PRIVATE_FILE);
  }
}
