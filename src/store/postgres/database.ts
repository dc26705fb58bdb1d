import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { errorCode, StoreFailure, UNREACHED } from '../store-failure.js';
import type { Bucket } from '../bucket/bucket.js';
import { KeyError } from '../encryption/key-error.js';
import type { KeyRing } from '../encryption/key-ring.js';
import type { DatabaseAddress } from './address.js';
import type { Sealing } from './sealing.js';
import { sealingWith } from './sealing.js';

/** What a statement is given. */
export type Parameter = string | number | boolean | Buffer | null | string[] | number[] | Buffer[];

/** Rows of a statement, as their columns are called. */
export type Row = Record<string, unknown>;

export interface Database {
  place: string;
  /** How contents stand in it. */
  sealing: Sealing;
  /** Where large values are; null for in it. */
  bucket: Bucket | null;
  /**
   * Runs one statement, which must do the same when it is done twice: where the connection is lost nobody knows whether
   * it was done, and it is done again. Throws a `StoreFailure`; one that `passes` after `patienceMs` without an answer.
   */
  query<R extends Row>(text: string, parameters?: Parameter[]): Promise<R[]>;
  /**
   * Runs statements in one transaction, likewise. A KeyError of `act` is thrown as it is: another worker has the key.
   */
  transaction<T>(act: (query: Database['query']) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** How long a statement is tried again while nobody answers, in milliseconds. */
  patienceMs?: number;
  /** Connections at once. */
  connections?: number;
  /** What contents are sealed with; null for none. */
  keys?: KeyRing | null;
  bucket?: Bucket | null;
}

const CONNECT_MS = 5_000;
/** No statement of ours takes so long; what does is a database that stands still. */
const ANSWER_MS = 30_000;
const PATIENCE_MS = 6_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Opens a pool of connections; none is made before the first statement, and none keeps the process alive. */
export function openDatabase(
  { url, place }: DatabaseAddress,
  { patienceMs = PATIENCE_MS, connections = 8, keys = null, bucket = null }: DatabaseOptions = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    application_name: 'perdure',
    keepAlive: true,
    allowExitOnIdle: true,
  });
  // An idle connection that is lost is replaced by the next statement.
  pool.on('error', () => undefined);

  async function again<T>(act: () => Promise<T>): Promise<T> {
    const until = Date.now() + patienceMs;
    for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await act();
      } catch (error) {
        if (error instanceof KeyError) throw error; // the database did what it was asked: it is no word of it
        if (!isLost(error) || Date.now() + waitMs > until) throw databaseFailure(error, place);
        await pause(waitMs);
      }
    }
  }

  return {
    place,
    sealing: sealingWith(keys),
    bucket,
    query: <R extends Row>(text: string, parameters: Parameter[] = []) =>
      again(async () => (await pool.query<R>(text, parameters)).rows),
    transaction: (act) => again(() => inTransaction(pool, act)),
    close: () => pool.end(),
  };
}

async function inTransaction<T>(pool: pg.Pool, act: (query: Database['query']) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  client.on('error', noteBroken);
  function noteBroken(error: Error): void {
    broken = error;
  }
  try {
    await client.query('begin');
    const result = await act(
      async <R extends Row>(text: string, parameters: Parameter[] = []) =>
        (await client.query<R>(text, parameters)).rows,
    );
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(noteBroken);
    throw error;
  } finally {
    client.off('error', noteBroken);
    client.release(broken);
  }
}

/** Codes of the system, and of PostgreSQL, by which a statement may have been done or not, or could not be begun. */
const LOST = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'],
  ...['EAI_AGAIN', 'ENOTFOUND', 'ENOENT', 'EADDRNOTAVAIL'],
  // It shuts down, has crashed, starts; has no room for one more; two were in each other's way; only reads now.
  ...['57P01', '57P02', '57P03', '53300', '40001', '40P01', '25006'],
  // It was not done in time, and the connection ended.
  ...['57P05', '25P03', '25P04', '40003'],
]);
const FULL = new Set(['53100']);
/** A limit of the disk has no code of its own there. */
const FULL_DISK = /quota exceeded|no space left/i;
/** What only a person can mend, and will: a password that was changed, a right that was taken. */
const REFUSED = new Set(['28P01', '28000', '3D000', '42501']);
/** Of Node and OpenSSL, where they do not trust who answers. */
const UNTRUSTED = /^(ERR_TLS_CERT|CERT_|CRL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH)/;
/**
 * Classes of what a statement of ours can never do: what it lacks, how it is written, what it gives, more than any
 * database takes, what was put between us and the tables. All else passes, for a person changes it, or it does by
 * itself: limits of time and memory, locks, a disk that is broken, tables that are not there while a backup is played
 * back.
 */
const OURS = new Set(['0A', '21', '22', '23', '26', '3F', '42', '54', 'P0']);
const NOT_OURS = new Set(['42501', '42P01']);
/** What a person does about a class of them. */
const FIXES: Readonly<Record<string, string>> = {
  '26': ' Expected statements to stay with their connection: let a pooler give whole sessions, or go around it.',
  '3F': ' Expected the schema `perdure` to stay: play it back from a backup.',
  P0: ' Expected no rules but ours on the tables of `perdure`: remove a trigger that refuses.',
};

function isLost(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== null) return LOST.has(code) || code.startsWith('08');
  // The client's own words have no code.
  return error instanceof Error && /terminat|timeout|not queryable|connection/i.test(error.message);
}

function isOurs(code: string | null): boolean {
  if (code === null || /^ERR_(?!TLS|SSL)/.test(code)) return true;
  return OURS.has(code.slice(0, 2)) && !NOT_OURS.has(code);
}

/**
 * What the database or the way to it said, as a failure that tells a person where it is and what to do; of the address
 * it tells no more than the place (I13).
 */
export function databaseFailure(error: unknown, place: string): StoreFailure {
  if (error instanceof StoreFailure) return error;
  const code = errorCode(error);
  const at = (found: string): { cause: Error } => ({ cause: Object.assign(new Error(found), { code: found }) });
  const words = error instanceof Error ? error.message : String(error);
  if (code !== null && (FULL.has(code) || FULL_DISK.test(words)))
    return new StoreFailure(
      'store-full',
      `The store's database at \`${place}\` has no room left (${code}). What is written waits for room: free some ` +
        `space there.`,
      at('ENOSPC'),
    );
  if (isLost(error))
    return new StoreFailure(
      'internal',
      `The store's database at \`${place}\` is not reached (${code ?? 'no answer'}). What needs it waits: start it, ` +
        `or set the variable of \`store.postgres\` to where it is.`,
      at(UNREACHED),
    );
  const refused = code === null ? null : refusal(code, words);
  if (refused !== null)
    return new StoreFailure('internal', `The store's database at \`${place}\` ${refused}`, at(UNREACHED));
  if (!isOurs(code))
    return new StoreFailure(
      'internal',
      `The store's database at \`${place}\` cannot do it now (${code ?? ''}: ${words}). Steps wait for it: where it ` +
        `does not pass, the log of the database says more.`,
      at(UNREACHED),
    );
  return new StoreFailure(
    'internal',
    `The store's database at \`${place}\` said: ${words}.${fixOf(code)}`,
    at(code ?? 'unknown'),
  );
}

/** How it is told that a person has to let us in; null where it is something else. */
function refusal(code: string, words: string): string | null {
  if (REFUSED.has(code))
    return `refuses us (${code}): expected a database that is there, and a user who may make a schema in it.`;
  if (UNTRUSTED.test(code))
    return (
      `shows no certificate that this machine trusts (${code}: ${words}). Renew it there, or name the file of its ` +
      'authority in the address: `?sslrootcert=FILE`.'
    );
  return null;
}

function fixOf(code: string | null): string {
  return FIXES[code?.slice(0, 2) ?? ''] ?? '';
}
