import { randomUUID } from 'node:crypto';
import type { Json } from '../../plan/values/json.js';
import type { Database } from './database.js';

/** What a kind of record keeps under a name: whole, or nothing. */
export interface Records {
  read(name: string): Promise<string | null>;
  /** Those of these names that are there, in any order. */
  readSome(names: string[]): Promise<string[]>;
  write(name: string, content: string): Promise<void>;
  /** Writes where there is none; false, and nothing is changed, where there is one already. */
  writeOnce(name: string, content: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  /** All of a kind, by name. */
  list(): Promise<{ name: string; content: string }[]>;
}

/** Rows of one kind, named by a text. */
export function recordsOf(database: Database, kind: string): Records {
  const kept = (content: string): string => database.sealing.seal(content, 'record');
  const opened = (content: string): string => database.sealing.open(content, 'record');
  async function read(name: string): Promise<string | null> {
    const [row] = await database.query<{ content: string }>(
      'select content from perdure.records where kind = $1 and name = $2',
      [kind, name],
    );
    return row === undefined ? null : opened(row.content);
  }

  return {
    read,
    async readSome(names) {
      if (names.length === 0) return [];
      const rows = await database.query<{ content: string }>(
        'select content from perdure.records where kind = $1 and name = any($2::text[])',
        [kind, names],
      );
      return rows.map(({ content }) => opened(content));
    },
    async write(name, content) {
      await database.query(
        `insert into perdure.records values ($1, $2, $3)
         on conflict (kind, name) do update set content = $3, changed = clock_timestamp()`,
        [kind, name, kept(content)],
      );
    },
    async writeOnce(name, content) {
      // Where the confirmation was lost, who wrote the very same finds that it was itself.
      const rows = await database.query(
        `insert into perdure.records as r values ($1, $2, $3)
         on conflict (kind, name) do update set content = $3 where r.content = $3 returning 1`,
        [kind, name, kept(content)],
      );
      // The same sealed twice is not the same.
      return rows.length > 0 || (database.sealing.isOn && (await read(name)) === content);
    },
    async remove(name) {
      await database.query('delete from perdure.records where kind = $1 and name = $2', [kind, name]);
    },
    async list() {
      const rows = await database.query<{ name: string; content: string }>(
        'select name, content from perdure.records where kind = $1 order by name collate "C"',
        [kind],
      );
      return rows.map(({ name, content }) => ({ name, content: opened(content) }));
    },
  };
}

/** Lines that are appended to, in the order in which they came. */
export interface Lines {
  append(name: string, line: Json): Promise<void>;
  /** In one statement: all of them or none. */
  appendAll(name: string, lines: Json[]): Promise<void>;
  read(name: string): Promise<Json[]>;
  /** Those of all names of the kind. */
  readAll(): Promise<Map<string, Json[]>>;
  remove(name: string): Promise<void>;
}

/** Lines of one kind. The token of a line tells one whose confirmation was lost. */
export function linesOf(database: Database, kind: string): Lines {
  const kept = (line: Json): string => database.sealing.seal(JSON.stringify(line), 'record');
  // `kept` makes nothing else
  const lineIn = (line: string): Json => JSON.parse(database.sealing.open(line, 'record')) as Json;
  const appendAll = async (name: string, lines: Json[]): Promise<void> => {
    await database.query(
      `insert into perdure.lines (kind, name, token, line)
       select $1, $2, $3 || number, given.line from unnest($4::text[]) with ordinality as given(line, number)
       order by number on conflict (token) do nothing`,
      [kind, name, `${randomUUID()} `, lines.map(kept)],
    );
  };
  return {
    append: (name, line) => appendAll(name, [line]),
    appendAll,
    async read(name) {
      const rows = await database.query<{ line: string }>(
        'select line from perdure.lines where kind = $1 and name = $2 order by place',
        [kind, name],
      );
      return rows.map(({ line }) => lineIn(line));
    },
    async readAll() {
      const rows = await database.query<{ name: string; line: string }>(
        'select name, line from perdure.lines where kind = $1 order by place',
        [kind],
      );
      const all = new Map<string, Json[]>();
      for (const { name, line } of rows) {
        const known = all.get(name) ?? [];
        known.push(lineIn(line));
        all.set(name, known);
      }
      return all;
    },
    async remove(name) {
      await database.query('delete from perdure.lines where kind = $1 and name = $2', [kind, name]);
    },
  };
}
