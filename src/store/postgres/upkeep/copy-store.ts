import { hostname } from 'node:os';
import { join } from 'node:path';
import { canonicalJson } from '../../../plan/values/json.js';
import { isHash } from '../../hash.js';
import type { JournalEntry } from '../../journal/entry.js';
import { openJournal } from '../../journal/journal.js';
import { readLines } from '../../line-files.js';
import { openStore } from '../../local-store.js';
import { readPlain } from '../../read-plain.js';
import { snapshotFolder } from '../../snapshots/snapshots.js';
import type { Store } from '../../store.js';
import { readVerified } from '../../values/value-files.js';
import type { Database } from '../database.js';
import { copyEntry } from '../journal.js';
import { recordsOf } from '../records.js';
import { writeContent } from '../values.js';
import { copyLogs, copyTalk } from './copy-talk.js';
import type { Copying } from './copying.js';
import { hashesIn, namesIn, readOrLeave, textOfName } from './copying.js';

/** How many of each kind were copied, and what was not, with the reason. */
export interface Copied {
  counts: Record<string, number>;
  left: string[];
}

/**
 * Copies what a state folder keeps to a database; what is there already stays, and what has come since it was last done
 * is added. Runs that are open stay with the server of their folder. What the folder has and cannot be read is left,
 * and all else copied. Throws a `StoreFailure` where the database takes nothing.
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
  for (const copy of [copyValues, copyPlans, copyJournals, copyRuns, copyLogs, copyTalk, copyDevices, copyRecords])
    await copy(copying);
  return copied;
}

async function copyValues(copying: Copying): Promise<void> {
  const { stateDir, database, note, leave } = copying;
  const folder = join(stateDir, 'values');
  for (const hash of await hashesIn(copying, folder)) {
    const path = join(folder, hash.slice('sha256:'.length, 'sha256:'.length + 2), hash.slice('sha256:'.length));
    const content = isHash(hash) ? await readVerified(path, hash).catch(() => null) : null;
    if (content === null) leave(`the value \`${hash}\`: its file is damaged`);
    else {
      await writeContent(database, hash, content);
      note('values');
    }
  }
}

async function copyPlans(copying: Copying): Promise<void> {
  const { stateDir, source, target, note, leave } = copying;
  for (const hash of await hashesIn(copying, join(stateDir, 'plans'))) {
    const plan = isHash(hash) ? await source.getPlan(hash).catch(() => null) : null;
    if (plan === null) leave(`the plan \`${hash}\`: its file is damaged`);
    else {
      await target.putPlan(plan);
      note('plans');
    }
  }
}

async function copyJournals(copying: Copying): Promise<void> {
  const { stateDir, source, target, database, note, leave } = copying;
  for (const name of await namesIn(copying, join(stateDir, 'journal'), '.ndjson')) {
    const scope = textOfName(name);
    if (scope === null) {
      leave(`the journal \`${name}\`: its file does not say whose it is`);
      continue;
    }
    const file = join(stateDir, 'journal', `${name}.ndjson`);
    const entries = (await readOrLeave(copying, `the journal \`${scope}\``, () => openJournal(file).list())) ?? [];
    const known = new Map((await target.listJournal(scope)).map(([key, entry]) => [key, textOf(entry)]));
    let others = 0;
    for (const [key, entry] of entries)
      if (known.get(key) !== textOf(entry) && !(await copyEntry(database, { scope, key }, entry, source.id)))
        others += 1;
    if (others > 0) leave(`${String(others)} entries of the journal \`${scope}\`: the database goes on with its own`);
    if (entries.length > 0) note('journal entries', entries.length - others);
  }
}

function textOf(entry: JournalEntry): string {
  return canonicalJson(entry);
}

async function copyRuns(copying: Copying): Promise<void> {
  const { stateDir, source, target, note, leave } = copying;
  const roots = (await readOrLeave(copying, 'the runs', () => source.listRuns())) ?? [];
  for (const root of roots) {
    const nested = (await readOrLeave(copying, `what \`${root}\` has started`, () => source.listRuns(root))) ?? [];
    for (const run of [root, ...nested]) {
      const record = await readOrLeave(copying, `the run \`${run}\``, () => source.readRun(run));
      if (record === null) continue;
      await target.writeRun(record);
      note('runs');
      // After its record: nobody takes it for one that is open.
      const said = await readOrLeave(copying, `what \`${run}\` is about`, () => source.readSubmitted([run]));
      for (const one of said ?? []) await target.noteSubmitted(one);
    }
  }
  for (const { run } of (await readOrLeave(copying, 'the open runs', () => source.listUnrecorded())) ?? [])
    leave(`the run \`${run}\`: it is open, and goes on with the server of ${stateDir}`);
}

async function copyDevices(copying: Copying): Promise<void> {
  const { stateDir, source, database, note } = copying;
  for (const name of await namesIn(copying, join(stateDir, 'devices'), '.json')) {
    const device = textOfName(name) ?? name;
    const record = await readOrLeave(copying, `the device \`${device}\``, () => source.readDevice(device));
    if (record === null) continue;
    await recordsOf(database, 'device').writeOnce(device, JSON.stringify(record));
    note('devices');
  }
}

async function copyRecords(copying: Copying): Promise<void> {
  const { stateDir, source, target, database, leave } = copying;
  for (const name of await namesIn(copying, join(stateDir, 'recorded'), '.json')) {
    const run = textOfName(name) ?? name;
    const answers = await readOrLeave(copying, `what the test \`${run}\` gives`, () => source.readRecorded(run));
    if (answers !== null) await target.writeRecorded(run, answers);
  }
  const marks = await readOrLeave(copying, 'what runs wrote where a person’s word counts', () =>
    readLines(join(stateDir, 'memory', 'tainted.ndjson')),
  );
  const tainted = (marks ?? []) as unknown as { content: string; run: string }[]; // `taint` wrote them
  for (const { content, run } of tainted) await recordsOf(database, 'tainted').write(content, run);
  const key = (await readPlain(join(stateDir, 'approval.key'), 1024))?.toString().trim();
  if (key !== undefined) await recordsOf(database, 'approval-key').writeOnce('', key);
  const snapshots = snapshotFolder(stateDir);
  for (const name of await namesIn(copying, join(snapshots, 'refs', 'runs'), ''))
    await recordsOf(database, 'snapshot').writeOnce(
      textOfName(name) ?? name,
      JSON.stringify({ host: hostname(), folder: snapshots }),
    );
  const followers = (await readOrLeave(copying, 'what starts when runs end', () => source.readFollowers())) ?? [];
  if (followers.length > 0 && (await target.readFollowers()).length === 0)
    leave('what starts when runs end: `perdure schedules sync` writes it for the database');
}
