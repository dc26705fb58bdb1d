import { appendFileSync, closeSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileName, nameText } from '../files.js';
import type { GatheredLogs } from './gathered-logs.js';
import { createGatheredLogs } from './gathered-logs.js';
import { endHalfLine, formatLines, linesOf, openForLines, parseLines, READ_BYTES } from './log-lines.js';
import { errorCode, storeFailure } from '../store-failure.js';
import type { LogLine, LogWriter } from './line.js';
import { openRegular } from '../read-regular.js';

const EXTENSION = '.ndjson';
/** The file of logs that are gathered; no step's own file can be called so. */
const GATHERED = 'gathered.log';
/** A log's head, which tells when it was begun. */
const HEAD = '{"at":"2026-01-01T00:00:00.000Z';

export interface LogFiles {
  openLog(run: string, path: string): LogWriter;
  readLog(run: string, path: string, offset: number): Promise<{ lines: LogLine[]; next: number }>;
  listLogs(run: string): Promise<string[]>;
  /** Resolves when the last words of all logs that this process has closed are in their files. */
  logsWritten(): Promise<void>;
}

/**
 * Logs of steps as lines of JSON: `<folder>/<run>/<path>.ndjson`, one file for all tries of a step. Of a step that had
 * nothing but last words, they are in `<folder>/<run>/gathered.log`; if both have some, these are the first.
 */
export function createLogFiles(folder: string): LogFiles {
  const folderOf = (run: string): string => join(folder, fileName(run));
  const fileOfLog = (run: string, path: string): string =>
    `${join(folderOf(run), ...path.split('/').map(fileName))}${EXTENSION}`;
  const fileOfRun = (run: string): string => join(folderOf(run), GATHERED);
  const gathered = createGatheredLogs();
  return {
    openLog: (run, path) => openWriter(fileOfLog(run, path), { gathered, file: fileOfRun(run), path }),
    async readLog(run, path, offset) {
      gathered.written();
      const file = fileOfRun(run);
      const first = gathered.sizeOf(file, path);
      if (offset < first) return gathered.read(file, path, offset);
      const { lines, next } = await readLines(fileOfLog(run, path), offset - first);
      return { lines, next: first + next };
    },
    logsWritten: async () => gathered.written(),
    async listLogs(run) {
      const root = folderOf(run);
      const files = (await filesBelow(root)).filter((file) => file.endsWith(EXTENSION));
      const begun = new Map(
        await Promise.all(files.map(async (file) => [pathOf(root, file), await headOf(file)] as const)),
      );
      for (const [path, at] of gathered.list(fileOfRun(run))) begun.set(path, at);
      // In an empty one nothing could be written.
      const logs = [...begun].filter(([, at]) => at !== '');
      const isBefore = ([a, atA]: [string, string], [b, atB]: [string, string]): boolean =>
        atA === atB ? a < b : atA < atB;
      return logs.sort((one, other) => (isBefore(one, other) ? -1 : 1)).map(([path]) => path);
    },
  };
}

function pathOf(root: string, file: string): string {
  return relative(root, file).slice(0, -EXTENSION.length).split(sep).map(nameText).join('/');
}

/** Where the last words of a log go that has no others. */
interface Gathering {
  gathered: GatheredLogs;
  file: string;
  path: string;
}

/**
 * Writes are synchronous: they keep their order, hold back a program that writes faster than the disk takes it, and are
 * in the file when the process is killed; the last words alone may wait. What goes wrong is told by `close`, so that
 * `write` never throws.
 */
function openWriter(ownFile: string, { gathered, file: gatheredFile, path }: Gathering): LogWriter {
  let file: number | null = null;
  let failure: unknown = null;
  let lost = 0;
  let last: LogLine[] = [];

  /** What a full disk did not take is lost, and the next line that it takes is preceded by one that says so. */
  function append(lines: LogLine[]): void {
    try {
      if (file === null) file = openForLines(ownFile);
      else if (lost > 0) endHalfLine(file);
      const note =
        lost === 0
          ? []
          : [...linesOf('note', `${lost} lines are missing here: ${storeFailure(failure, 'write', ownFile).message}`)];
      // Not `writeSync`: on a full disk that writes a part and does not say so.
      appendFileSync(file, formatLines([...gathered.take(gatheredFile, path), ...note, ...lines]));
      lost = 0;
    } catch (error) {
      failure = error;
      lost += lines.length;
    }
  }

  function appendLast(): void {
    if (last.length > 0) append(last);
    last = [];
  }

  function end(): void {
    appendLast();
    if (file !== null) closeSync(file);
    file = null;
  }

  return {
    write(stream, text, at) {
      appendLast();
      for (const line of linesOf(stream, text, at)) append([line]);
    },
    writeLast(stream, text, at) {
      last.push(...linesOf(stream, text, at));
    },
    async close() {
      if (file === null && last.length > 0) gathered.write(gatheredFile, path, last);
      else if (last.length === 0) end();
      else setImmediate(end);
      if (failure !== null) throw storeFailure(failure, 'write', ownFile);
    },
  };
}

async function readLines(path: string, offset: number): Promise<{ lines: LogLine[]; next: number }> {
  const content = await readPart(path, offset, READ_BYTES);
  const end = content.lastIndexOf(0x0a) + 1;
  return { lines: parseLines(content.subarray(0, end)), next: offset + end };
}

async function headOf(path: string): Promise<string> {
  return (await readPart(path, 0, HEAD.length)).toString('utf8').slice('{"at":"'.length);
}

async function readPart(path: string, offset: number, length: number): Promise<Buffer> {
  try {
    const file = await openRegular(path);
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
