import type { Plan } from '../../plan/plan.js';
import { checkPlan } from '../values/plans.js';
import { isHash } from '../hash.js';
import type { Database } from './database.js';

/** What a database keeps, by kind: how many, and how many bytes. */
export type Kept = Record<string, { count: number; bytes: number }>;

const KEPT = `
  select 'values' as kind, count(*) as count, coalesce(sum(length(content)), 0) as bytes
    from perdure.stored_values
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

const SPOILT = `
  select hash from perdure.stored_values where hash <> 'sha256:' || encode(sha256(content), 'hex') order by hash`;
const MISSING = `
  select run, named[1] as hash from perdure.runs, 
    regexp_matches(record, '"ref":"(sha256:[0-9a-f]{64})"', 'g') as named
  where not exists (select from perdure.stored_values where hash = named[1]) order by run, hash`;

/**
 * Reads all that is named by a hash and looks whether it is that, and whether what records of runs name is there. Gives
 * a sentence for each that is not.
 */
export async function faultsIn(database: Database): Promise<string[]> {
  const spoilt = await database.query<{ hash: string }>(SPOILT);
  const missing = await database.query<{ run: string; hash: string }>(MISSING);
  const faults = [
    ...spoilt.map(({ hash }) => `the value \`${hash}\` has another content`),
    ...missing.map(({ run, hash }) => `the value \`${hash}\` is missing, which the run \`${run}\` names`),
  ];
  for (let after = ''; ;) {
    const plans = await database.query<{ hash: string; content: string }>(
      'select hash, content from perdure.plans where hash > $1 order by hash limit 100',
      [after],
    );
    for (const { hash, content } of plans)
      if (!isPlan(hash, content)) faults.push(`the plan \`${hash}\` has another content`);
    const last = plans.at(-1);
    if (last === undefined) return faults;
    after = last.hash;
  }
}

function isPlan(hash: string, content: string): boolean {
  try {
    return isHash(hash) && checkPlan(JSON.parse(content) as Plan, hash).hash === hash;
  } catch {
    return false;
  }
}
