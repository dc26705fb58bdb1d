import { appendFileSync, closeSync, fstatSync, mkdirSync, open as openFile, openSync, readSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { fileName, PRIVATE_FILE, PRIVATE_FOLDER } from './files.js';
import { errorCode, storeFailure } from './store-failure.js';
import type { LogLine, LogWriter } from './store.js';

const openLater = promisify(openFile);

const EXTENSION = '.ndjson';
/** A longer text becomes several lines, so that a reader's buffer has a bound. */
export const LINE_CHARACTERS = 64 * 1024;
/** One call of `readLog` reads this much; it ends in a whole line, since a line is shorter even if all is escaped. */
const READ_BYTES = 1024 * 1024;
/** Enough of a log's head to read when it was begun. */
const HEAD_BYTES = 64;

export interface LogFiles {
  openLog(run: string, path: string): LogWriter;
  readLog(run: string, path: string, offset: number): Promise<{ lines: LogLine[]; next: number }>;
  listLogs(run: string): Promise<string[]>;
  /** Resolves when the last words of all logs that this process has closed are in their files. */
  logsWritten(): Promise<void>;
}

/** Logs of steps as lines of JSON: `<folder>/<run>/<path>.ndjson`, one file for all tries of a step. */
export function createLogFiles(folder: string): LogFiles {
  const fileOfLog = (run: string, path: string): string => `${join(folder, fileName(run), ...path.split('/').map(fileName))}${EXTENSION}`;
  const lastWords = createLastWords();
  return {
    openLog: (run, path) => openWriter(fileOfLog(run, path), lastWords),
    readLog: async (run, path, offset) => {
      await lastWords.written();
      return readLines(fileOfLog(run, path), offset);
    },
    logsWritten: () => lastWords.written(),
    async listLogs(run) {
      const root = join(folder, fileName(run));
      const files = (await filesBelow(root)).filter((file) => file.endsWith(EXTENSION));
      // In an empty one nothing could be written.
      const begun = (await Promise.all(files.map(async (file) => ({ file, at: await headOf(file) })))).filter(({ at }) => at !== '');
      begun.sort((a, b) => (a.at === b.at ? compare(a.file, b.file) : compare(a.at, b.at)));
      return begun.map(({ file }) => relative(root, file).slice(0, -EXTENSION.length).split(sep).map(decodeURIComponent).join('/'));
    },
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Writes are synchronous: they keep their order, hold back a program that writes faster than the disk takes it, and
 * are in the file when the process is killed; the last words alone may wait. What goes wrong is told by `close`, so that
 * `write` never throws.
 */
function openWriter(path: string, lastWords: LastWords): LogWriter {
  let file: number | null = null;
  let failure: unknown = null;
  let last = '';

  function append(lines: string): void {
    if (failure !== null) return;
    try {
      file ??= openForAppend(path);
      appendFileSync(file, lastWords.take(path) + lines); // Not `writeSync`: on a full disk that writes a part and does not say so.
    } catch (error) {
      failure = error;
    }
  }

  function appendLast(): void {
    if (last !== '') append(last);
    last = '';
  }

  function end(): void {
    appendLast();
    if (file !== null) closeSync(file);
    file = null;
  }

  return {
    write(stream, text, at) {
      appendLast();
      for (const line of linesOf(stream, text, at)) append(line);
    },
    writeLast(stream, text, at) {
      for (const line of linesOf(stream, text, at)) last += line;
    },
    async close() {
      if (file === null && last !== '') lastWords.write(path, last);
      else if (last === '') end();
      else setImmediate(end);
      if (failure !== null) throw storeFailure(failure, 'write', path);
    },
  };
}

/**
 * How long logs wait to be opened together, in milliseconds: to wake the thread pool costs its caller 0.1 ms, the third part of what
 * is Perdure's own in a step, and a thread that is awake takes what else is there.
 */
const GATHER_MS = 250;

/** Lines of logs whose file is still to be opened, in the thread pool: to make one takes a tenth of what a step costs the thread of its worker. */
interface LastWords {
  write(path: string, lines: string): void;
  /** What a log is still to get, for who writes to it now; empty for nothing. */
  take(path: string): string;
  written(): Promise<void>;
}

function createLastWords(): LastWords {
  const waiting = new Map<string, string>();
  const writing = new Set<Promise<void>>();
  let gathered = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function take(path: string): string {
    const lines = waiting.get(path) ?? '';
    waiting.delete(path);
    return lines;
  }

  async function write(path: string): Promise<void> {
    // The first one of a run finds no folder.
    const file = await openLater(path, 'a+', PRIVATE_FILE).catch(() => openInFolder(path));
    try {
      endHalfLine(file);
      const lines = take(path);
      if (lines !== '') appendFileSync(file, lines);
    } finally {
      closeSync(file);
    }
  }

  function writeGathered(): void {
    clearTimeout(timer);
    const paths = [...gathered].filter((path) => waiting.has(path)); // What is not there a later try has written.
    gathered = new Set();
    for (const path of paths) {
      const done = write(path).catch(() => undefined).then(() => void writing.delete(done)); // None is told: see `LogWriter`.
      writing.add(done);
    }
  }

  return {
    take,
    write(path, lines) {
      waiting.set(path, take(path) + lines);
      if (gathered.size === 0) timer = setTimeout(writeGathered, GATHER_MS);
      gathered.add(path);
    },
    async written() {
      writeGathered();
      await Promise.all(writing);
    },
  };
}

function* linesOf(stream: LogLine['stream'], text: string, at = new Date().toISOString()): Generator<string> {
  for (let start = 0; start < text.length; start += LINE_CHARACTERS) {
    yield `${JSON.stringify({ at, stream, text: text.slice(start, start + LINE_CHARACTERS) } satisfies LogLine)}\n`;
  }
}

/** Opens the log; a half line that a crash or a full disk left is ended first, so that the next one stands alone. */
function openForAppend(path: string): number {
  const file = openInFolder(path);
  endHalfLine(file);
  return file;
}

function endHalfLine(file: number): void {
  const { size } = fstatSync(file);
  if (size === 0) return;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  if (last.toString() !== '\n') appendFileSync(file, '\n');
}

/** The folder is made only when it is missing, because it nearly never is. */
function openInFolder(path: string): number {
  try {
    return openSync(path, 'a+', PRIVATE_FILE);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    return openSync(path, 'a+', PRIVATE_FILE);
  }
}

async function readLines(path: string, offset: number): Promise<{ lines: LogLine[]; next: number }> {
  const content = await readPart(path, offset, READ_BYTES);
  const end = content.lastIndexOf(0x0a) + 1;
  const lines = content.subarray(0, end).toString('utf8').split('\n').flatMap(toLine);
  return { lines, next: offset + end };
}

/** A damaged line is left out: the rest of a log is still worth reading. */
function toLine(text: string): LogLine[] {
  try {
    return text === '' ? [] : [JSON.parse(text) as LogLine]; // The writer above is the only one.
  } catch {
    return [];
  }
}

async function headOf(path: string): Promise<string> {
  return (await readPart(path, 0, HEAD_BYTES)).toString('utf8').slice(0, '{"at":"2026-01-01T00:00:00.000Z"'.length);
}

async function readPart(path: string, offset: number, length: number): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw storeFailure(error, 'read', path);
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storeFailure(error, 'read', folder);
  }
}
