import { randomUUID } from 'node:crypto';
import { sha256 } from '../hash.js';
import type { LogLine } from '../logs/line.js';
import type { LogFiles } from '../logs/log-files.js';
import { linesOf, READ_BYTES } from '../logs/log-lines.js';
import { StoreFailure } from '../store-failure.js';
import type { Database } from './database.js';

/** How long lines wait for others of this process, in milliseconds. */
const GATHER_MS = 100;
/** What comes while the database is away waits in memory, so many characters; more is lost, and said to be. */
const MOST_WAITING = 8 * 1024 * 1024;

/** Lines of one log that wait to be written. */
interface Waiting {
  run: string;
  path: string;
  lines: LogLine[];
  characters: number;
  lost: number;
}

const WRITE = `
  insert into perdure.logs (token, log, run, path, lines)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) on conflict (token) do nothing`;
const READ = `
  select place, lines from (
    select place, lines, sum(length(lines)) over (order by place) - length(lines) as before
    from perdure.logs where log = $1 and place > $2
  ) as parts where before < $3 order by place`;

/**
 * Logs of steps as rows, each what a process wrote to one log within a moment. Who writes waits for nothing; who closes
 * a log waits until its lines are there, except for last words, which are kept elsewhere too. The offset of a reader is
 * the place of the last row it has.
 */
export function createLogs(database: Database): LogFiles {
  let waiting = new Map<string, Waiting>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let characters = 0;

  function add(run: string, path: string, lines: LogLine[]): void {
    const log = logOf(run, path);
    const own = waiting.get(log) ?? { run, path, lines: [], characters: 0, lost: 0 };
    waiting.set(log, own);
    for (const line of lines) {
      if (characters > MOST_WAITING) own.lost += 1;
      else own.lines.push(line);
      own.characters += line.text.length;
      characters += line.text.length;
    }
    timer ??= setTimeout(() => void flush().catch(() => undefined), GATHER_MS);
  }

  /** One at a time, so that the lines of a log keep their order. What could not be written waits on. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.catch(() => undefined).then(writeAll);
    writing.catch(() => undefined); // told to who waits for it
    return writing;
  }

  async function writeAll(): Promise<void> {
    const parts = waiting;
    if (parts.size === 0) return;
    waiting = new Map();
    characters = 0;
    const all = [...parts];
    try {
      await database.query(WRITE, [
        all.map(() => randomUUID()),
        all.map(([log]) => log),
        all.map(([, { run }]) => run),
        all.map(([, { path }]) => path),
        all.map(([, { lines, lost }]) => keptLines(database, withNote(lines, lost))),
      ]);
    } catch (error) {
      const since = waiting;
      waiting = new Map();
      for (const { run, path, lines, lost } of [...parts.values(), ...since.values()]) {
        add(run, path, lines);
        const own = waiting.get(logOf(run, path));
        if (own !== undefined) own.lost += lost;
      }
      throw error;
    }
  }

  return {
    openLog(run, path) {
      let isWritten = false;
      return {
        write(stream, text, at) {
          isWritten = true;
          add(run, path, [...linesOf(stream, text, at)]);
        },
        writeLast(stream, text, at) {
          add(run, path, [...linesOf(stream, text, at)]);
        },
        close: async () => (isWritten ? flush() : undefined),
      };
    },
    async readLog(run, path, offset) {
      await flush();
      const rows = await database.query<{ place: string; lines: string }>(READ, [logOf(run, path), offset, READ_BYTES]);
      const last = rows.at(-1);
      return {
        lines: rows.flatMap(({ lines }) => linesIn(database, lines)),
        next: last === undefined ? offset : Number(last.place),
      };
    },
    async listLogs(run) {
      await flush();
      const rows = await database.query<{ path: string }>(
        'select path from perdure.logs where run = $1 group by path order by min(place)',
        [run],
      );
      return rows.map(({ path }) => path);
    },
    logsWritten: () => flush().catch((error: unknown) => ignorePassing(error)),
  };
}

/** Writes lines of another store's log; what was written under this token stays as it is. */
export async function copyLines(
  database: Database,
  { run, path, lines }: { run: string; path: string; lines: LogLine[] },
  token: string,
): Promise<void> {
  const log = logOf(run, path);
  await database.query(WRITE, [[`${log} ${token}`], [log], [run], [path], [keptLines(database, lines)]]);
}

/** How many lines of a log came from another store, which its copies name first in their tokens. */
export async function copiedLines(
  database: Database,
  { run, path }: { run: string; path: string },
  store: string,
): Promise<number> {
  const log = logOf(run, path);
  const rows = await database.query<{ lines: string }>(
    'select lines from perdure.logs where log = $1 and starts_with(token, $2)',
    [log, `${log} ${store} `],
  );
  return rows.reduce((count, { lines }) => count + linesIn(database, lines).length, 0);
}

function keptLines({ sealing }: Database, lines: LogLine[]): string {
  return sealing.seal(JSON.stringify(lines), 'log');
}

function linesIn({ sealing }: Database, kept: string): LogLine[] {
  return JSON.parse(sealing.open(kept, 'log')) as LogLine[]; // `keptLines` made it
}

function withNote(lines: LogLine[], lost: number): LogLine[] {
  if (lost === 0) return lines;
  return [...lines, ...linesOf('note', `${String(lost)} lines are missing here: the store's database was away.`)];
}

/** Whoever ends does not wait for a database that is away. */
function ignorePassing(error: unknown): void {
  if (!(error instanceof StoreFailure) || !error.passes) throw error;
}

/** An index takes no long texts. */
function logOf(run: string, path: string): string {
  return sha256(JSON.stringify([run, path]));
}
