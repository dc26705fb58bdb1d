import type { Plan } from '../../../plan/plan.js';
import { checkPlan } from '../../values/plans.js';
import { isHash, sha256 } from '../../hash.js';
import type { Database } from '../database.js';
import { StoreFailure } from '../../store-failure.js';
import { contentIn, keptContent } from '../values.js';

/** What a database keeps, by kind: how many, and how many bytes. */
export type Kept = Record<string, { count: number; bytes: number }>;

const KEPT = `
  select 'values' as kind, count(*) as count, coalesce(sum(length(content)), 0) as bytes
    from perdure.stored_values where content is not null
  union all select 'values in the bucket', count(*), 0 from perdure.stored_values where content is null
  union all select 'plans', count(*), coalesce(sum(length(content)), 0) from perdure.plans
  union all select 'journal entries', count(*), coalesce(sum(length(entry)), 0)
    from perdure.journal where entry is not null
  union all select 'questions under way', count(*), 0 from perdure.journal where entry is null and owner is not null
  union all select 'questions asked again', coalesce(sum(lost), 0), 0 from perdure.journal
  union all select 'runs', count(*), coalesce(sum(length(record)), 0) from perdure.runs where not is_nested
  union all select 'logs', count(distinct log), coalesce(sum(length(lines)), 0) from perdure.logs
  union all select 'sessions', count(distinct name), coalesce(sum(length(line)), 0)
    from perdure.lines where kind = 'session'`;

/** Tells what a database keeps. Throws a `StoreFailure`. */
export async function keptIn(database: Database): Promise<Kept> {
  const rows = await database.query<{ kind: string; count: string; bytes: string }>(KEPT);
  return Object.fromEntries(
    rows.map(({ kind, count, bytes }) => [kind, { count: Number(count), bytes: Number(bytes) }]),
  );
}

/** So many rows are held in memory at once. */
const ROWS = 100;
const REFERENCE = /"ref":"(sha256:[0-9a-f]{64})"/g;

/**
 * Reads all that is named by a hash and looks whether it is that, and whether what records of runs name is there. Gives
 * a sentence for each that is not. Throws a KeyError where the key of a content is not here.
 */
export async function faultsIn(database: Database): Promise<string[]> {
  const faults: string[] = [];
  for await (const { name, content } of rowsOf<Buffer | null>(database, ['stored_values', 'hash', 'content']))
    faults.push(...(await faultOf(database, name, content)));
  for await (const { name, content } of rowsOf<string>(database, ['runs', 'run', 'record']))
    for (const hash of await missingOf(database, database.sealing.open(content, 'record')))
      faults.push(`the value \`${hash}\` is missing, which the run \`${name}\` names`);
  for await (const { name, content } of rowsOf<string>(database, ['plans', 'hash', 'content']))
    if (!isPlan(name, database.sealing.open(content, 'record')))
      faults.push(`the plan \`${name}\` has another content`);
  return faults;
}

async function faultOf(database: Database, name: string, content: Buffer | null): Promise<string[]> {
  try {
    const kept = await keptContent(database, name, content);
    return sha256(contentIn(kept, name, database)) === name ? [] : [`the value \`${name}\` has another content`];
  } catch (error) {
    if (!(error instanceof StoreFailure) || error.type !== 'store-missing') throw error;
    return [`the value \`${name}\` is missing from the bucket`];
  }
}

/** All rows of a table, in the order of their names. */
async function* rowsOf<Content>(
  database: Database,
  [table, name, content]: [table: string, name: string, content: string],
): AsyncGenerator<{ name: string; content: Content }> {
  for (let after = ''; ;) {
    const rows = await database.query<{ name: string; content: Content }>(
      `select ${name} as name, ${content} as content from perdure.${table} where ${name} > $1 order by ${name}
       limit ${ROWS}`,
      [after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.name;
  }
}

async function missingOf(database: Database, record: string): Promise<string[]> {
  const named = [...new Set([...record.matchAll(REFERENCE)].map(([, hash = '']) => hash))].sort();
  if (named.length === 0) return [];
  const there = await database.query<{ hash: string }>(
    'select hash from perdure.stored_values where hash = any($1::text[])',
    [named],
  );
  const known = new Set(there.map(({ hash }) => hash));
  return named.filter((hash) => !known.has(hash));
}

function isPlan(hash: string, content: string): boolean {
  try {
    return isHash(hash) && checkPlan(JSON.parse(content) as Plan, hash).hash === hash;
  } catch {
    return false;
  }
}
