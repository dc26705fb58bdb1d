// @module-tag postgres
// @seconds 20
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../../src/store/hash.js';
import type { JournalEntry } from '../../../src/store/journal/entry.js';
import { openStore } from '../../../src/store/local-store.js';
import { openDatabaseStore } from '../../../src/store/postgres/postgres-store.js';
import type { Copied } from '../../../src/store/postgres/upkeep/copy-store.js';
import { copyStore } from '../../../src/store/postgres/upkeep/copy-store.js';
import type { Store } from '../../../src/store/store.js';
import { runRecord } from '../../store/helpers/run-record.js';
import type { PostgresServer } from './server.js';
import { startPostgres } from './server.js';

const AT = '2026-01-01T00:00:00.000Z';
const SESSION = 'task-0a1b2c3d';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

/** A state folder and an empty database. */
async function places(): Promise<{ folder: string; from: Store; to: Store; copy: () => Promise<Copied> }> {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const from = await openStore(folder);
  const { store: to, database } = await openDatabaseStore(await server.createDatabase(), folder);
  onTestFinished(() => database.close());
  return { folder, from, to, copy: () => copyStore(folder, database, to) };
}

async function log(store: Store, text: string): Promise<void> {
  const writer = store.openLog('run', 'work');
  writer.write('stdout', text);
  await writer.close();
}

async function say(store: Store, run: string): Promise<void> {
  await store.addMessage(SESSION, { role: 'user', content: `asked in ${run}`, run, at: AT });
  await store.addMessage(SESSION, { role: 'assistant', content: `said in ${run}`, run, at: AT, status: 'success' });
}

const entry = (response: string): JournalEntry => ({ request: sha256('q'), response, at: AT });

async function textsOf(store: Store): Promise<unknown> {
  return {
    log: (await store.readLog('run', 'work', 0)).lines.map(({ text }) => text),
    session: (await store.readSession(SESSION))?.messages.map(({ content }) => content),
    journal: (await store.listJournal('run')).map(([key, { response }]) => [key, response]),
    narration: (await store.readNarration('run')).map(({ key }) => key),
    memories: (await store.searchMemories({ query: '' })).map(({ text }) => text),
  };
}

describe('a copy to a database', () => {
  it('that is done again adds what has come since, and nothing twice', async () => {
    const { from, to, copy } = await places();
    const tell = (key: string): Promise<void> =>
      from.addNarration('run', { kind: 'message', at: AT, key, task: 't', mood: 'excited', text: key, from: 'model' });
    await log(from, 'first half');
    await from.createSession({ session_id: SESSION, agent_name: 'a', description: '', created_at: AT });
    await say(from, 'r-1');
    await from.writeJournal({ scope: 'run', key: 'sum' }, entry('1'));
    await tell('first');
    const { id } = await from.addMemory({ category: 'decision', text: 'Use tabs.', by: 'ana' });
    await copy();
    expect(await textsOf(to)).toEqual(await textsOf(from));
    await log(from, 'second half');
    await say(from, 'r-2');
    await from.writeJournal({ scope: 'run', key: 'sum' }, entry('2'));
    await from.writeJournal({ scope: 'run', key: 'next' }, entry('3'));
    await tell('second');
    await from.removeMemory(id);
    await from.addMemory({ category: 'decision', text: 'Use spaces.', by: 'ana' });
    expect((await copy()).left).toEqual([]);
    const all = await textsOf(from);
    expect(all).toMatchObject({ log: ['first half', 'second half'], narration: ['first', 'second'] });
    expect(await textsOf(to)).toEqual(all);
    await copy();
    expect(await textsOf(to)).toEqual(all);
  });

  it('leaves what the database has changed since, and says so', async () => {
    const { from, to, copy } = await places();
    for (const key of ['one', 'two']) await from.writeJournal({ scope: 'run', key }, entry(`${key} here`));
    await copy();
    await to.writeJournal({ scope: 'run', key: 'one' }, entry('one there'));
    await to.mergeJournal({ scope: 'run', key: 'two' }, () => entry('two there'));
    for (const key of ['one', 'two']) await from.writeJournal({ scope: 'run', key }, entry(`${key} here, later`));
    expect((await copy()).left).toEqual(['2 entries of the journal `run`: the database goes on with its own']);
    expect((await to.listJournal('run')).map(([, { response }]) => response)).toEqual(['one there', 'two there']);
  });

  it('goes on after a damaged record, and says which were left', async () => {
    const { folder, from, to, copy } = await places();
    for (const run of ['r-1', 'r-2', 'r-3']) await from.writeRun(runRecord(run));
    await from.writeDevice('uno', { flashed: true });
    await from.writeDevice('due', { flashed: true });
    await log(from, 'hello');
    writeFileSync(join(folder, 'runs', 'r-2.json'), '{');
    writeFileSync(join(folder, 'devices', 'due.json'), '{');
    writeFileSync(join(folder, 'sessions'), 'no folder');
    const { counts, left } = await copy();
    expect(counts).toMatchObject({ runs: 2, devices: 1, logs: 1 });
    expect(left).toEqual([
      expect.stringMatching(/^the run `r-2`: .*is corrupt/),
      expect.stringMatching(/^what is in `.*sessions`: /),
      expect.stringMatching(/^the device `due`: .*is corrupt/),
    ]);
    expect(await to.listRuns()).toEqual(['r-1', 'r-3']);
  });

  it('brings what runs are about', async () => {
    const { from, to, copy } = await places();
    const noted = { definition: 'd', description: 'the nightly report', rehearsal: false, submitted_by: 'ana' };
    for (const run of ['closed', 'open']) await from.noteSubmitted({ run, ...noted, submitted_at: AT });
    await from.writeRun(runRecord('closed'));
    expect((await copy()).left).toEqual([expect.stringContaining('the run `open`: it is open')]);
    expect(await to.readSubmitted(['closed', 'open'])).toMatchObject([
      { run: 'closed', description: noted.description },
    ]);
    expect(await to.listUnrecorded()).toEqual([]);
  });
});
