import { KeyError } from '../encryption/key-error.js';
import type { Purpose } from '../encryption/key-ring.js';
import type { Database } from './database.js';
import { recordsOf } from './records.js';
import { contentIn, keptContent, objectName } from './values.js';

/** Tells by which key the store is written to: whoever opens it has that key. */
const SIGN = 'sealed-with';

/**
 * Proves that the contents of the database can be read with the keys that are here, and notes a new key. Throws a
 * KeyError: nothing of a store is read or written by other keys than its other workers have.
 */
export async function requireKeys(database: Database): Promise<void> {
  const { sealing } = database;
  const [row] = await database.query<{ content: string }>(
    'select content from perdure.records where kind = $1 and name = $2',
    [SIGN, ''],
  );
  if (row !== undefined) sealing.open(row.content, 'record'); // throws a KeyError for another key
  if (sealing.isOn && (row === undefined || !sealing.isCurrent(row.content)))
    await recordsOf(database, SIGN).write('', 'perdure');
}

/** A column of contents. */
interface Column {
  table: string;
  /** Names a row. */
  keys: string[];
  content: string;
  purpose: Purpose;
  where?: string;
}

const COLUMNS: readonly Column[] = [
  { table: 'stored_values', keys: ['hash'], content: 'content', purpose: 'value', where: 'content is not null' },
  { table: 'plans', keys: ['hash'], content: 'content', purpose: 'record' },
  { table: 'journal', keys: ['id'], content: 'entry', purpose: 'journal', where: 'entry is not null' },
  { table: 'runs', keys: ['run'], content: 'record', purpose: 'record' },
  { table: 'logs', keys: ['token'], content: 'lines', purpose: 'log' },
  // A pause of a provider is compared by the database.
  { table: 'records', keys: ['kind', 'name'], content: 'content', purpose: 'record', where: `kind <> 'pause'` },
  { table: 'lines', keys: ['token'], content: 'line', purpose: 'record' },
  { table: 'workspaces', keys: ['run'], content: 'state', purpose: 'record', where: 'state is not null' },
];

/** So many rows are held in memory at once. */
const ROWS = 100;

/**
 * Seals what is not sealed with the key that writes now, and gives how many contents that were. What is written
 * meanwhile stays as it is written. Throws a KeyError where a content's key is not here.
 */
export async function sealStore(database: Database): Promise<number> {
  if (!database.sealing.isOn)
    throw new KeyError('Expected `encryption` in perdure.yml to name keys, got none.', 'docs/encryption.md tells how.');
  let sealed = 0;
  for (const column of COLUMNS) sealed += await sealColumn(database, column);
  return sealed + (await sealObjects(database));
}

/** Those of the bucket: who reads one meanwhile finds it as it was, or as it is then. */
async function sealObjects(database: Database): Promise<number> {
  const { sealing, bucket } = database;
  const rows = await database.query<{ hash: string }>(
    'select hash from perdure.stored_values where content is null order by hash',
  );
  let sealed = 0;
  for (const { hash } of rows) {
    const kept = await keptContent(database, hash, null);
    if (sealing.isCurrent(kept)) continue;
    await bucket?.replace(objectName(hash), sealing.sealBytes(contentIn(kept, hash, database)));
    sealed += 1;
  }
  return sealed;
}

async function sealColumn(database: Database, column: Column): Promise<number> {
  const { table, keys, content, where = 'true' } = column;
  const names = keys.join(', ');
  const after = `(${names}) > (${keys.map((_, index) => `$${index + 1}`).join(', ')})`;
  const change = `update perdure.${table} set ${content} = $1 where ${content} = $2 and ${keys
    .map((key, index) => `${key} = $${index + 3}`)
    .join(' and ')}`;
  let sealed = 0;
  for (let last = keys.map(() => ''); ;) {
    const rows = await database.query<Record<string, string | Buffer>>(
      `select ${names}, ${content} as kept from perdure.${table} where ${where} and ${after}
       order by ${names} limit ${ROWS}`,
      last,
    );
    for (const row of rows) {
      const kept = row['kept'] ?? '';
      const own = keys.map((key) => String(row[key]));
      if (database.sealing.isCurrent(kept)) continue;
      await database.query(change, [resealed(database, column, kept, own[0] ?? ''), kept, ...own]);
      sealed += 1;
    }
    const end = rows.at(-1);
    if (end === undefined) return sealed;
    last = keys.map((key) => String(end[key]));
  }
}

function resealed(database: Database, { purpose }: Column, kept: string | Buffer, name: string): string | Buffer {
  const { sealing } = database;
  return typeof kept === 'string'
    ? sealing.seal(sealing.open(kept, purpose), purpose)
    : sealing.sealBytes(contentIn(kept, name, database));
}
