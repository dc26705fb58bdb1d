import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../../plan/values/json.js';
import type { RunRecord } from '../../../plan/result.js';
import { isHash } from '../../hash.js';
import { openJournal } from '../../journal/journal.js';
import type { LogLine } from '../../logs/line.js';
import { readLines } from '../../line-files.js';
import { openStore } from '../../local-store.js';
import { readPlain } from '../../read-plain.js';
import { snapshotFolder } from '../../snapshots/snapshots.js';
import { errorCode, storeFailure } from '../../store-failure.js';
import type { Store } from '../../store.js';
import { readVerified } from '../../values/value-files.js';
import type { Database } from '../database.js';
import { copyLines } from '../logs.js';
import { linesOf, recordsOf } from '../records.js';
import { writeContent } from '../values.js';

/** How many of each kind were copied, and what was not, with the reason. */
export interface Copied {
  counts: Record<string, number>;
  left: string[];
}

/**
 * Copies what a state folder keeps to a database; what is there already stays, so that it may be done again. Runs that
 * are open stay with the server of their folder. Throws a `StoreFailure`.
 */
export async function copyStore(stateDir: string, database: Database, target: Store): Promise<Copied> {
  const source = await openStore(stateDir, { lookOnly: true });
  const copied: Copied = { counts: {}, left: [] };
  const copying: Copying = {
    stateDir,
    source,
    target,
    database,
    note: (kind, number = 1) => void (copied.counts[kind] = (copied.counts[kind] ?? 0) + number),
    leave: (what) => void copied.left.push(what),
  };
  for (const copy of [copyValues, copyPlans, copyJournals, copyRuns, copyLogs, copyTalk, copyRecords])
    await copy(copying);
  return copied;
}

interface Copying {
  stateDir: string;
  source: Store;
  target: Store;
  database: Database;
  note: (kind: string, number?: number) => void;
  leave: (what: string) => void;
}

async function copyValues({ stateDir, database, note, leave }: Copying): Promise<void> {
  const folder = join(stateDir, 'values');
  for (const hash of await hashesIn(folder)) {
    const path = join(folder, hash.slice('sha256:'.length, 'sha256:'.length + 2), hash.slice('sha256:'.length));
    const content = isHash(hash) ? await readVerified(path, hash).catch(() => null) : null;
    if (content === null) leave(`the value \`${hash}\`: its file is damaged`);
    else {
      await writeContent(database, hash, content);
      note('values');
    }
  }
}

async function copyPlans({ stateDir, source, target, note, leave }: Copying): Promise<void> {
  for (const hash of await hashesIn(join(stateDir, 'plans'))) {
    const plan = isHash(hash) ? await source.getPlan(hash).catch(() => null) : null;
    if (plan === null) leave(`the plan \`${hash}\`: its file is damaged`);
    else {
      await target.putPlan(plan);
      note('plans');
    }
  }
}

async function copyJournals({ stateDir, target, note, leave }: Copying): Promise<void> {
  for (const name of await namesIn(join(stateDir, 'journal'), '.ndjson')) {
    const scope = textOfName(name);
    if (scope === null) leave(`the journal \`${name}\`: its file does not say whose it is`);
    else
      for (const [key, entry] of openJournal(join(stateDir, 'journal', `${name}.ndjson`)).list()) {
        await target.beginOnce({ scope, key }, entry);
        note('journal entries');
      }
  }
}

async function copyRuns({ stateDir, source, target, note, leave }: Copying): Promise<void> {
  for (const root of await source.listRuns())
    for (const run of [root, ...(await source.listRuns(root))]) {
      const record: RunRecord | null = await source.readRun(run);
      if (record === null) continue;
      await target.writeRun(record);
      note('runs');
    }
  for (const { run } of await source.listUnrecorded())
    leave(`the run \`${run}\`: it is open, and goes on with the server of ${stateDir}`);
}

async function copyLogs({ stateDir, source, database, note, leave }: Copying): Promise<void> {
  for (const entry of await namesIn(join(stateDir, 'logs'), '')) {
    const run = textOfName(entry);
    if (run === null) leave(`the logs \`${entry}\`: their folder does not say whose they are`);
    for (const path of run === null ? [] : await source.listLogs(run)) {
      await copyLog({ source, database }, run ?? '', path);
      note('logs');
    }
  }
}

async function copyLog(
  { source, database }: Pick<Copying, 'source' | 'database'>,
  run: string,
  path: string,
): Promise<void> {
  for (let offset = 0; ;) {
    const { lines, next } = await source.readLog(run, path, offset);
    if (next === offset) return;
    const part: { run: string; path: string; lines: LogLine[] } = { run, path, lines };
    await copyLines(database, part, `${source.id} ${String(offset)}`);
    offset = next;
  }
}

async function copyTalk({ stateDir, source, target, database, note }: Copying): Promise<void> {
  for (const { status: _status, updated_at: _at, messages, ...head } of await source.listSessions()) {
    if ((await target.readSession(head.session_id)) !== null) continue;
    await target.createSession(head, messages);
    note('sessions');
  }
  const known = new Set((await target.searchMemories({ query: '' })).map(({ id }) => id));
  const lines = linesOf(database, 'memory');
  for (const memory of (await source.searchMemories({ query: '' })).reverse()) {
    if (known.has(memory.id)) continue;
    await lines.append('', { ...memory });
    note('memories');
  }
  for (const name of await namesIn(join(stateDir, 'narration'), '.ndjson')) {
    const run = textOfName(name);
    if (run === null || (await target.readNarration(run)).length > 0) continue;
    const told = (await source.readNarration(run)) as unknown as Json[]; // JSON-safe
    await linesOf(database, 'narration').appendAll(run, told);
    for (const concept of await source.listConcepts(run)) await target.claimConcept(run, concept);
    note('narrations');
  }
}

async function copyRecords({ stateDir, source, target, database, note }: Copying): Promise<void> {
  for (const name of await namesIn(join(stateDir, 'devices'), '.json')) {
    await recordsOf(database, 'device').writeOnce(
      textOfName(name) ?? name,
      JSON.stringify(await source.readDevice(textOfName(name) ?? name)),
    );
    note('devices');
  }
  for (const name of await namesIn(join(stateDir, 'recorded'), '.json')) {
    const answers = await source.readRecorded(textOfName(name) ?? name);
    if (answers !== null) await target.writeRecorded(textOfName(name) ?? name, answers);
  }
  const tainted = (readLines(join(stateDir, 'memory', 'tainted.ndjson')) ?? []) as unknown as {
    content: string;
    run: string;
  }[];
  for (const { content, run } of tainted) await recordsOf(database, 'tainted').write(content, run);
  const key = (await readPlain(join(stateDir, 'approval.key'), 1024))?.toString().trim();
  if (key !== undefined) await recordsOf(database, 'approval-key').writeOnce('', key);
  const snapshots = snapshotFolder(stateDir);
  for (const name of await namesIn(join(snapshots, 'refs', 'runs'), ''))
    await recordsOf(database, 'snapshot').writeOnce(
      textOfName(name) ?? name,
      JSON.stringify({ host: hostname(), folder: snapshots }),
    );
}

/** Names of files that have this end, without it. */
async function namesIn(folder: string, end: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const wanted = entries.filter((entry) => (end === '' ? entry.isDirectory() : entry.name.endsWith(end)));
    return wanted.map(({ name }) => name.slice(0, name.length - end.length)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storeFailure(error, 'read', folder);
  }
}

async function hashesIn(folder: string): Promise<string[]> {
  const hashes: string[] = [];
  for (const part of await namesIn(folder, ''))
    hashes.push(
      ...(await readdir(join(folder, part)))
        .filter((name) => /^[0-9a-f]{64}$/.test(name))
        .map((hex) => `sha256:${hex}`),
    );
  return hashes;
}

/** What `fileName` made a name of; null where that was a hash. */
function textOfName(name: string): string | null {
  return name.startsWith('+') ? null : decodeURIComponent(name);
}
