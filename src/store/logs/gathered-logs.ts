import { appendFileSync, closeSync, fstatSync, readSync } from 'node:fs';
import { formatLines, makeForLines, openForLines, parseLines, READ_BYTES } from './log-lines.js';
import { createLruCache } from '../lru-cache.js';
import { errorCode, storeFailure } from '../store-failure.js';
import type { LogLine } from './line.js';
import { openRegularNow } from '../read-regular.js';

/** How long lines wait for others of their run, in milliseconds. */
const GATHER_MS = 250;
/** Files whose index a process keeps: hardly ever are more runs looked at in turns. */
const KEPT_INDEXES = 64;
/** Files that are known to have been made: of hardly more runs are calls under way. */
const KEPT_MADE = 1000;

/** A line in a file that is of all steps of a run. */
interface GatheredLine extends LogLine {
  path: string;
}

/** Where lines of a step follow each other in the file. */
interface Span {
  from: number;
  bytes: number;
}

interface GatheredLog {
  /** When its first line was written. */
  begun: string;
  bytes: number;
  spans: Span[];
}

/** What is known of a file up to `read`. */
interface Index {
  /** Which file it was: a run may be pruned, and its id used again. */
  file: string;
  read: number;
  logs: Map<string, GatheredLog>;
}

/**
 * The logs of steps that wrote nothing but their last words, all of a run in one file: a file for each would cost a
 * worker with many short calls a twentieth of its CPU. What a step writes later is in a file of its own and comes after
 * this.
 */
export interface GatheredLogs {
  /** The lines are in the run's file soon. None is told when they cannot be written: see `LogWriter`. */
  write(file: string, path: string, lines: readonly LogLine[]): void;
  /** What is still to be written of a log, for who writes it elsewhere now. */
  take(file: string, path: string): LogLine[];
  written(): void;
  /** How many bytes of the file are a step's. */
  sizeOf(file: string, path: string): number;
  /** About a megabyte of whole lines of a step's, from an offset into those. */
  read(file: string, path: string, offset: number): { lines: LogLine[]; next: number };
  /** All steps with lines in the file, and when the first of each was written. */
  list(file: string): Map<string, string>;
}

/**
 * Lines wait in this process until others of their run have come, at most `GATHER_MS`; a file's index is read on from
 * where it ended.
 */
export function createGatheredLogs(): GatheredLogs {
  const waiting = new Map<string, Map<string, LogLine[]>>();
  const indexes = createLruCache<Index>(KEPT_INDEXES);
  const made = createLruCache<true>(KEPT_MADE);
  let timer: NodeJS.Timeout | undefined;

  function writeAll(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [file, logs] of waiting) append(file, logs);
    waiting.clear();
  }

  /** To make a file can take a millisecond, which nobody waits for here; whoever writes first makes it, too. */
  function prepare(file: string): void {
    if (made.get(file) !== undefined) return;
    made.set(file, true, 1);
    void makeForLines(file);
  }

  /** Opens the file and looks at what came to it since the last time. */
  function look<T>(file: string, nothing: T, at: (opened: number, index: Index) => T): T {
    try {
      const opened = openRegularNow(file);
      try {
        const index = readOn(opened, indexes.get(file));
        indexes.set(file, index, 1);
        return at(opened, index);
      } finally {
        closeSync(opened);
      }
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return nothing;
      throw storeFailure(error, 'read', file);
    }
  }

  return {
    write(file, path, lines) {
      const logs = waiting.get(file) ?? new Map<string, LogLine[]>();
      logs.set(path, [...(logs.get(path) ?? []), ...lines]);
      waiting.set(file, logs);
      prepare(file);
      timer ??= setTimeout(writeAll, GATHER_MS);
    },
    take(file, path) {
      const lines = waiting.get(file)?.get(path) ?? [];
      waiting.get(file)?.delete(path);
      return lines;
    },
    written: writeAll,
    sizeOf: (file, path) => look(file, 0, (_, { logs }) => logs.get(path)?.bytes ?? 0),
    read: (file, path, offset) =>
      look(file, { lines: [], next: offset }, (opened, { logs }) => {
        const content = readSpans(opened, logs.get(path)?.spans ?? [], offset);
        return {
          lines: parseLines<GatheredLine>(content).map(({ path: _path, ...line }) => line),
          next: offset + content.length,
        };
      }),
    list: (file) =>
      look(
        file,
        new Map<string, string>(),
        (_, { logs }) => new Map([...logs].map(([path, { begun }]) => [path, begun])),
      ),
  };
}

/** One write for all, so that those of several processes do not mix. */
function append(file: string, logs: Map<string, LogLine[]>): void {
  const lines = [...logs].flatMap(([path, own]) => own.map((line): GatheredLine => ({ path, ...line })));
  if (lines.length === 0) return;
  try {
    const opened = openForLines(file);
    try {
      appendFileSync(opened, formatLines(lines));
    } finally {
      closeSync(opened);
    }
  } catch {
    // The words are kept elsewhere too.
  }
}

/** Adds what came to a file since it was read up to `known`; half a line at its end is looked at again. */
function readOn(opened: number, known: Index | undefined): Index {
  const { size, ino, birthtimeMs } = fstatSync(opened);
  const file = `${ino} ${birthtimeMs}`;
  const index: Index = known?.file === file ? known : { file, read: 0, logs: new Map() };
  while (index.read < size) {
    const content = readPart(opened, index.read, Math.min(size - index.read, READ_BYTES));
    const end = content.lastIndexOf(0x0a) + 1;
    if (end === 0) return index;
    for (let start = 0; start < end;) {
      const next = content.indexOf(0x0a, start) + 1;
      for (const line of parseLines<GatheredLine>(content.subarray(start, next)))
        addTo(index.logs, line, { from: index.read + start, bytes: next - start });
      start = next;
    }
    index.read += end;
  }
  return index;
}

function addTo(logs: Map<string, GatheredLog>, { path, at }: GatheredLine, { from, bytes }: Span): void {
  const log = logs.get(path) ?? { begun: at, bytes: 0, spans: [] };
  const last = log.spans.at(-1);
  if (last !== undefined && last.from + last.bytes === from) last.bytes += bytes;
  else log.spans.push({ from, bytes });
  log.bytes += bytes;
  if (at < log.begun) log.begun = at; // Another process was faster to write.
  logs.set(path, log);
}

/** Whole lines of these spans, from an offset into them. */
function readSpans(opened: number, spans: readonly Span[], offset: number): Buffer {
  const parts: Buffer[] = [];
  let skip = offset;
  let room = READ_BYTES;
  for (const { from, bytes } of spans) {
    const wanted = Math.max(0, bytes - skip);
    const part = readPart(opened, from + skip, Math.min(wanted, room));
    skip = Math.max(0, skip - bytes);
    parts.push(wanted > room ? part.subarray(0, part.lastIndexOf(0x0a) + 1) : part);
    if (wanted >= room) break;
    room -= wanted;
  }
  return Buffer.concat(parts);
}

function readPart(opened: number, from: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, length === 0 ? 0 : readSync(opened, buffer, 0, length, from));
}
