import { newId } from '../identity.js';
import { StoreFailure } from '../store-failure.js';
import type { Database } from './database.js';

/**
 * What makes the tables, oldest first; each is done once, and none is ever changed. Texts that may be long are named by
 * a hash, for an index takes no long ones; JSON is kept as text, down to the letter.
 */
const MIGRATIONS: readonly string[] = [
  `
  create table perdure.stored_values (hash text primary key, content bytea not null);
  create table perdure.plans (hash text primary key, content text not null);
  create table perdure.journal (
    id text primary key,
    scope text not null,
    key text not null,
    place bigint generated always as identity,
    entry text,
    owner text,
    fence integer not null default 0,
    beat timestamptz,
    lost integer not null default 0,
    written timestamptz not null default clock_timestamp()
  );
  create index journal_scope on perdure.journal using hash (scope);
  create table perdure.runs (run text primary key, record text not null, is_nested boolean not null);
  create table perdure.logs (
    place bigint generated always as identity primary key,
    token text not null unique,
    log text not null,
    run text not null,
    path text not null,
    lines text not null
  );
  create index logs_of_log on perdure.logs (log, place);
  create index logs_of_run on perdure.logs using hash (run);
  create table perdure.records (
    kind text not null,
    name text not null,
    content text not null,
    changed timestamptz not null default clock_timestamp(),
    primary key (kind, name)
  );
  create table perdure.lines (
    place bigint generated always as identity primary key,
    token text not null unique,
    kind text not null,
    name text not null,
    line text not null
  );
  create index lines_of_name on perdure.lines (kind, name, place);
  create table perdure.stretches (
    id text primary key,
    begun timestamptz not null,
    ended timestamptz not null
  );
  `,
  `
  create table perdure.workers (
    id text primary key,
    record text not null,
    begun timestamptz not null default clock_timestamp(),
    beat timestamptz not null default clock_timestamp(),
    lost boolean not null default false
  );
  create table perdure.required (key text primary key);
  create table perdure.workspaces (
    run text primary key,
    holder text,
    fence integer not null default 0,
    state text,
    changed timestamptz not null default clock_timestamp()
  );
  `,
  // The content of a large value may be in a bucket: then its row has none.
  `alter table perdure.stored_values alter column content drop not null`,
  // Lists begin with the runs that ended last; of those before, nobody knows when they did.
  `
  alter table perdure.runs add column ended timestamptz not null default '-infinity';
  create index runs_by_end on perdure.runs (ended, run) where not is_nested;
  `,
];

/** The version of the tables that this code makes and knows. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** One number for all who change tables of ours: a lock in the database, held until the transaction ends. */
const LOCK = 7_237_038_115;

/**
 * Brings the tables to what this code knows, and gives the id of the store, which is made with them. Of several who do
 * so at once one does it. Throws a `StoreFailure` where the tables are a later version's, or hold no Unicode.
 */
export async function migrate(database: Database): Promise<string> {
  const known = await readStore(database);
  if (known?.version === SCHEMA_VERSION) return known.id;
  return database.transaction(async (query) => {
    await query('select pg_advisory_xact_lock($1)', [LOCK]);
    await query('create schema if not exists perdure');
    await query('create table if not exists perdure.store (id text not null, version integer not null)');
    await query('insert into perdure.store select $1, 0 where not exists (select from perdure.store)', [newId()]);
    const [store] = await query<{ id: string; version: number }>('select id, version from perdure.store');
    const { id, version } = store ?? { id: '', version: 0 };
    requireKnown(version, database.place);
    for (const migration of MIGRATIONS.slice(version)) await query(migration);
    await query('update perdure.store set version = $1', [SCHEMA_VERSION]);
    return id;
  });
}

/**
 * The id of the store and the version of its tables; null where there are none yet. Throws a `StoreFailure` for a
 * database of another encoding, which would take no answer with a dash in it. `SQL_ASCII` is none: it keeps bytes.
 */
export async function readStore(database: Database): Promise<{ id: string; version: number } | null> {
  const [found] = await database.query<{ there: string | null; encoding: string }>(
    `select to_regclass('perdure.store')::text as there, current_setting('server_encoding') as encoding`,
  );
  const isThere = (found?.there ?? null) !== null;
  if (found !== undefined && !['UTF8', 'SQL_ASCII'].includes(found.encoding))
    throw ofOtherEncoding(found.encoding, database.place, isThere);
  if (!isThere) return null;
  const [store] = await database.query<{ id: string; version: number }>('select id, version from perdure.store');
  if (store === undefined) return null;
  requireKnown(store.version, database.place);
  return store;
}

function ofOtherEncoding(encoding: string, place: string, isThere: boolean): StoreFailure {
  return new StoreFailure(
    'internal',
    `Expected the store's database at \`${place}\` to have the encoding \`UTF8\`, got \`${encoding}\`: make one ` +
      `with \`create database … encoding 'UTF8' template template0\`` +
      (isThere ? ', bring the store there with `pg_dump` and `psql`, and name it in the address.' : '.'),
  );
}

function requireKnown(version: number, place: string): void {
  if (version > SCHEMA_VERSION)
    throw new StoreFailure(
      'internal',
      `Expected the store's database at \`${place}\` to have version \`${String(SCHEMA_VERSION)}\`, got ` +
        `\`${String(version)}\`: it belongs to a later version of Perdure.`,
    );
}
