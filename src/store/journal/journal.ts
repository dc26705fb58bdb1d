import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, fdatasync, fstatSync, readSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { openToAppend } from '../files.js';
import { StoreFailure, storeFailure } from '../store-failure.js';
import type { JournalEntry } from './entry.js';
import { openRegularNow } from '../read-regular.js';

/**
 * A file of lines `{key, entry}`, to which several processes may append. A line that is made of the one before says by
 * `nth` how many of its key hold with it: of two that are made of the same one the first holds, and who was slower
 * makes another. So none is lost, and nobody waits for one that was killed. What a crash or a full disk left of a line
 * was never acknowledged, and is a miss:
 * - a last line without an end, or that is no JSON. Before the next line it is marked, by a line that says `"torn"`;
 * - a line with bytes 0: room that the file system had made, and that was never filled.
 *
 * Any other line that is no JSON was acknowledged once and is damaged. Nobody knows which call it answered, so from
 * then on a miss is a failure: to call again might pay again. Of a key that is there twice the last line holds that
 * says no number: the first may be one that lacked only its end when it was missed.
 */
export interface Journal {
  /** Throws a `StoreFailure` where nobody can say whether the key was there. */
  read(key: string): JournalEntry | null;
  /**
   * Every key that begins so with its last entry, in the order in which the keys came; damaged lines are passed over.
   */
  list(begins?: string): [key: string, entry: JournalEntry][];
  /**
   * The entry is in the file when this resolves, and so outlives every process; it is synced with all that come within
   * `GATHER_MS`. Nobody need wait for that: once the server has committed what the activity returns, the entry is not
   * needed any more, and a sync at once would only hold that commit up. With `synced` it is waited for: one sync takes
   * all that wait. Of what the disk has refused to sync nobody knows whether it is there: it is written again with the
   * next entry, which waits for that sync, and throws where it is refused again.
   */
  append(key: string, entry: JournalEntry, synced?: boolean): Promise<void>;
  /**
   * Appends what `make` makes of the entry that is there, with no other between, of whatever process; as `append` does.
   * `make` is called again where another was faster. Where it gives null nothing is appended, and false is given.
   */
  merge(key: string, make: (before: JournalEntry | null) => JournalEntry | null, synced?: boolean): Promise<boolean>;
  /** Makes the file where there is none, while there is time for it. What goes wrong is told by `append`. */
  prepare(): void;
}

const TORN = '"torn"';
const NEWLINE = 0x0a;
/** A journal is read in pieces of this size, or of the size of a line that is longer. */
const READ_BYTES = 4 * 1024 * 1024;
/**
 * How long answers gather before one sync takes them all to the disk, in milliseconds. Only a power cut in that time,
 * before the server has committed the answer (which takes milliseconds), loses one; each sync takes a third of a
 * millisecond of CPU, and holds up the server's own. A system writes to the disk by itself what is older than half a
 * minute.
 */
const GATHER_MS = 5_000;
const toDisk = promisify(fdatasync);

/** Where a line stands in the file, in bytes. */
interface Place {
  start: number;
  length: number;
}

/** What a line says that was made of the one before. */
interface Made {
  nth: number;
  /** Its own name: two processes may write the same. */
  by: string;
}

/** The line of a key that holds, and how many there were with it. */
interface Held extends Place {
  nth: number;
}

/** What is known of the file up to `end`, which is where a line ends. */
interface Index {
  end: number;
  places: Map<string, Held>;
  /** The line of ours that is to hold, until it is read: another may come right after it. */
  sought: { by: string; holds: boolean } | null;
  /** Start of the last line when that is no JSON: what follows tells whether it was damaged. */
  badAt: number | null;
  /** Start of the first damaged line. */
  damagedAt: number | null;
}

/** The journal in a file, which need not be there; nothing is read before it is asked. `sync` brings it to the disk. */
export function openJournal(path: string, sync: (file: number) => Promise<void> = toDisk): Journal {
  const gathering = openGathering(path, sync);
  let index = emptyIndex();

  /** Reads what was appended since; gives the number of bytes after the last whole line. */
  function catchUp(file: number): number {
    const { size } = fstatSync(file);
    if (size < index.end) index = { ...emptyIndex(), sought: index.sought }; // A person has removed a line.
    for (let length = READ_BYTES; index.end < size;) {
      const { end } = index;
      addLines(index, readPlace(file, { start: end, length: Math.min(length, size - end) }));
      if (index.end === end && length >= size - end) break;
      length = index.end === end ? length * 2 : READ_BYTES;
    }
    return size - index.end;
  }

  /** Spares us to read our own line, where it is sure to stand at the end of what we know. */
  function remember(file: number, { key, made }: Line, bytes: Buffer): void {
    const { end } = index;
    if (index.badAt !== null || bytes[0] === NEWLINE || fstatSync(file).size !== end + bytes.length) return;
    hold(index, { start: end, length: bytes.length - 1, key, made });
    index.end = end + bytes.length;
  }

  /** Appends a line at once; resolves when nobody need wait for the disk any more. */
  function add(file: number, line: Line, synced: boolean): Promise<void> {
    const torn = catchUp(file) > 0;
    const mend = torn ? `\n${TORN}\n` : index.badAt !== null ? `${TORN}\n` : '';
    const again = gathering.refused().filter(({ key }) => key !== line.key);
    const lines = [...again, line];
    const bytes = Buffer.from(mend + lines.map(({ text }) => text).join(''));
    appendFileSync(file, bytes); // One write: lines of two workers do not mix.
    gathering.wrote(lines);
    if (again.length === 0) remember(file, line, bytes);
    return synced || again.length > 0 ? gathering.settled(file) : Promise.resolve();
  }

  function find(file: number, key: string): JournalEntry | null {
    catchUp(file);
    const place = index.places.get(key);
    const start = place?.start ?? index.damagedAt;
    if (start === null) return null;
    const line = place === undefined ? null : parse(readPlace(file, place).toString('utf8'));
    if (line?.key === key) return line.entry;
    throw new StoreFailure(
      'store-missing',
      `The journal \`${path}\` is corrupt: expected a line of JSON at byte ${start}. It may hold the answer ` +
        `that is looked for; remove that line to have it asked again.`,
    );
  }

  return {
    read(key) {
      try {
        const size = statSync(path, { throwIfNoEntry: false })?.size;
        if (size === undefined || (size === index.end && !index.places.has(key) && index.damagedAt === null))
          return null;
        return withFile(path, (file) => find(file, key));
      } catch (error) {
        throw storeFailure(error, 'read', path);
      }
    },
    list: (begins = '') =>
      listed(path, (file) => {
        catchUp(file);
        return [...index.places].filter(([key]) => key.startsWith(begins));
      }),
    prepare() {
      if (index.end === 0) gathering.prepare();
    },
    async append(key, entry, synced = false) {
      try {
        const file = await gathering.current();
        await add(file, { key, made: null, text: `${JSON.stringify({ key, entry })}\n` }, synced);
      } catch (error) {
        throw storeFailure(error, 'write', path);
      }
    },
    async merge(key, make, synced = false) {
      try {
        for (;;) {
          const file = await gathering.current();
          // From here to the line that is added nothing else of this process comes between.
          const entry = make(find(file, key));
          if (entry === null) return false;
          const made = { nth: nthOf(index, key) + 1, by: randomBytes(6).toString('hex') };
          const line = { key, made, text: `${JSON.stringify({ key, entry, ...made })}\n` };
          const sought = (index.sought = { by: made.by, holds: false });
          const settled = add(file, line, synced);
          catchUp(file);
          await settled;
          if (sought.holds) return true;
        }
      } catch (error) {
        throw storeFailure(error, 'write', path);
      }
    },
  };
}

/** The file that lines are appended to, and their way to the disk. */
interface Gathering {
  /** The file that lines are gathered in; another one when a person has put a mended journal in its place. */
  current(): Promise<number>;
  /** What is in the file now. */
  wrote(lines: Line[]): void;
  /** Lines that may not be on the disk because a sync failed, the last of each key. */
  refused(): Line[];
  /** Opens the file where none is open. */
  prepare(): void;
  /** Resolves when what this file has now is on the disk. */
  settled(file: number): Promise<void>;
}

/** A line of the file, with its end. */
interface Line {
  key: string;
  /** Null for one that holds whatever was there. */
  made: Made | null;
  text: string;
}

/** Syncs of one file: the one under way, and the one that those who came since wait for. */
interface Waiting {
  running: Promise<void> | null;
  next: Promise<void> | null;
}

function openGathering(path: string, sync: (file: number) => Promise<void>): Gathering {
  let gathering: Promise<number> | null = null;
  /** What no sync has taken yet, the last line of each key. */
  const unsynced = new Map<string, Line>();
  let isRefused = false;
  const waits = new Map<number, Waiting>();

  function gather(): Promise<number> {
    gathering ??= openToAppend(path).then(
      (file) => {
        setTimeout(() => void settle(file), GATHER_MS).unref();
        return file;
      },
      (error: unknown) => {
        gathering = null;
        throw error;
      },
    );
    return gathering;
  }

  async function gathered(): Promise<number> {
    const file = await gather();
    if (fstatSync(file).nlink > 0) return file;
    gathering = null;
    return gathered();
  }

  /** What comes from now on is gathered anew; what was gathered is synced. */
  async function settle(file: number): Promise<void> {
    gathering = null;
    await syncSoon(file).catch(() => undefined); // whoever appends next writes it again
    waits.delete(file);
    closeSync(file);
  }

  async function syncNow(file: number): Promise<void> {
    const taken = [...unsynced.values()];
    await sync(file);
    for (const line of taken) if (unsynced.get(line.key) === line) unsynced.delete(line.key);
  }

  /**
   * A sync that is under way may have missed the last line: whoever comes meanwhile shares the one after it. Where the
   * first fails, so does that: what it would take may have been lost with the other.
   */
  function syncSoon(file: number): Promise<void> {
    const { running, next } = waits.get(file) ?? { running: null, next: null };
    if (next !== null) return next;
    const coming = (running ?? Promise.resolve()).then(() => {
      waits.set(file, { running: coming, next: null });
      return syncNow(file);
    });
    waits.set(file, { running, next: coming });
    coming.catch(() => {
      isRefused = true;
      waits.delete(file);
    });
    return coming;
  }

  return {
    settled: syncSoon,
    current: gathered,
    wrote(lines) {
      isRefused = false;
      for (const line of lines) unsynced.set(line.key, { ...line }); // a sync that began before has not taken it
    },
    refused: () => (isRefused ? [...unsynced.values()] : []),
    prepare() {
      if (gathering === null) gather().catch(() => undefined);
    },
  };
}

function emptyIndex(): Index {
  return { end: 0, places: new Map(), sought: null, badAt: null, damagedAt: null };
}

function addLines(index: Index, added: Buffer): void {
  for (let from = 0, to = added.indexOf(NEWLINE); to >= 0; from = to + 1, to = added.indexOf(NEWLINE, from)) {
    addLine(index, added.subarray(from, to));
    index.end += to + 1 - from;
  }
}

function addLine(index: Index, line: Buffer): void {
  if (line.length === 0) return;
  const text = line.toString('utf8');
  if (text === TORN) {
    index.badAt = null;
    return;
  }
  index.damagedAt ??= index.badAt;
  const read = parse(text);
  index.badAt = read === null && !line.includes(0) ? index.end : null;
  if (read === null) return;
  hold(index, { start: index.end, length: line.length, ...read });
}

/** A line holds unless another was made of the same one, and came before. */
function hold(index: Index, { start, length, key, made }: Place & Pick<Line, 'key' | 'made'>): void {
  const before = nthOf(index, key);
  if (made !== null && made.nth <= before) return;
  index.places.set(key, { start, length, nth: made?.nth ?? before + 1 });
  if (index.sought !== null && made?.by === index.sought.by) index.sought.holds = true;
}

/** How many lines of a key have held. */
function nthOf({ places }: Index, key: string): number {
  return places.get(key)?.nth ?? 0;
}

/** Null for what this journal has not written. */
function parse(text: string): { key: string; entry: JournalEntry; made: Made | null } | null {
  try {
    const line: unknown = JSON.parse(text);
    if (
      typeof line !== 'object' ||
      line === null ||
      !('key' in line) ||
      !('entry' in line) ||
      typeof line.key !== 'string'
    )
      return null;
    const { nth, by } = line as Partial<Made>; // `merge` writes both or none
    const made = nth === undefined || by === undefined ? null : { nth, by };
    return { key: line.key, entry: line.entry as JournalEntry, made }; // `append` and `merge` write nothing else
  } catch {
    return null;
  }
}

/** The entries at places that are found in a file, which need not be there. */
function listed(path: string, find: (file: number) => [key: string, place: Place][]): [string, JournalEntry][] {
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
    return withFile(path, (file) =>
      find(file).flatMap(([key, place]): [string, JournalEntry][] => {
        const line = parse(readPlace(file, place).toString('utf8'));
        return line === null ? [] : [[key, line.entry]];
      }),
    );
  } catch (error) {
    throw storeFailure(error, 'read', path);
  }
}

function withFile<T>(path: string, use: (file: number) => T): T {
  const file = openRegularNow(path);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

function readPlace(file: number, { start, length }: Place): Buffer {
  const bytes = Buffer.alloc(length);
  let read = 0;
  for (let count = -1; read < length && count !== 0; read += count)
    count = readSync(file, bytes, read, length - read, start + read);
  return bytes.subarray(0, read);
}
