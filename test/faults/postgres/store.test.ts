// @module-tag postgres
// @seconds 20
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planOf } from '../../compiler/helpers/temporary-project.js';
import { readQuotaDay, settleQuota, takeQuota } from '../../../src/activities/attempt/quota.js';
import { dayOf, takenOn } from '../../../src/plan/budget/quota.js';
import { sha256 } from '../../../src/store/hash.js';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js';
import { SCHEMA_VERSION } from '../../../src/store/postgres/migrations.js';
import { StoreFailure } from '../../../src/store/store-failure.js';
import type { Store } from '../../../src/store/store.js';
import { fileOf } from '../../../src/store/values/value-files.js';
import { runRecord } from '../../store/helpers/run-record.js';
import type { PostgresServer } from './server.js';
import { PASSWORD, refuseLongAnswers, startPostgres } from './server.js';

let server: PostgresServer;
let url: string;
let here: Store;
let there: Store;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
  [here, there] = await Promise.all([open(), open()]);
});
afterAll(async () => {
  await server.remove();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const folders: string[] = [];
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-store-'));
  folders.push(folder);
  return folder;
}

async function open(): Promise<Store> {
  return openPostgresStore(url, temporaryFolder());
}

describe('a store on PostgreSQL', () => {
  it('has one id, whoever of many opens it first and at once', async () => {
    const fresh = await server.createDatabase();
    const stores = await Promise.all(
      Array.from({ length: 6 }, async () => openPostgresStore(fresh, temporaryFolder())),
    );
    expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
    expect(await server.query(fresh, 'select version from perdure.store')).toEqual([{ version: SCHEMA_VERSION }]);
  });

  it('is not opened by an older version than made its tables', async () => {
    const fresh = await server.createDatabase();
    await openPostgresStore(fresh, temporaryFolder());
    await server.query(fresh, 'update perdure.store set version = version + 1');
    await expect(openPostgresStore(fresh, temporaryFolder())).rejects.toThrow(/belongs to a later version/);
  });

  it('is refused by a database whose encoding has no dash', async () => {
    const fresh = await server.createDatabase(`encoding 'LATIN1' locale 'C' template template0`);
    const failure = await openPostgresStore(fresh, temporaryFolder()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ passes: false });
    expect(String(failure)).toMatch(/to have the encoding `UTF8`, got `LATIN1`/);
    expect(await server.query(fresh, `select to_regnamespace('perdure') as made`)).toEqual([{ made: null }]);
  });

  it('tells of a store in such a database how it is brought to another', async () => {
    const fresh = await server.createDatabase(`encoding 'LATIN1' locale 'C' template template0`);
    await server.query(fresh, 'create schema perdure');
    await server.query(fresh, 'create table perdure.store (id text not null, version integer not null)');
    await expect(openPostgresStore(fresh, temporaryFolder())).rejects.toThrow(/bring the store there with `pg_dump`/);
  });

  it('keeps every text in a database that keeps bytes', async () => {
    const fresh = await server.createDatabase(`encoding 'SQL_ASCII' locale 'C' template template0`);
    const [one, other] = await Promise.all([0, 1].map(() => openPostgresStore(fresh, temporaryFolder())));
    const entry = { request: sha256('q'), response: 'a dash — and 🙂', at: '2026-01-01T00:00:00.000Z' };
    await one?.writeJournal({ scope: 's', key: 'k' }, entry);
    expect(await other?.readJournal({ scope: 's', key: 'k' })).toEqual(entry);
  });

  it('waits for what passes there: limits of time, locks, quotas; not where a statement is wrong', async () => {
    const fresh = await server.createDatabase();
    const store = await openPostgresStore(fresh, temporaryFolder());
    const write = async (code: string, words = 'refused'): Promise<unknown> => {
      await refuseLongAnswers(server, fresh, code, words);
      const entry = { request: sha256('q'), response: 'long '.repeat(1_000), at: '2026-01-01T00:00:00.000Z' };
      return store.writeJournal({ scope: 's', key: 'k' }, entry).catch((error: unknown) => error);
    };
    // Limits, locks, no memory, a disk that is broken, tables that a backup brings back.
    for (const code of ['57014', '55P03', '53200', '53400', '58030', 'XX000', '42P01'])
      expect([code, await write(code)]).toMatchObject([code, { type: 'internal', passes: true }]);
    const full = { type: 'store-full', passes: true };
    expect(await write('XX000', 'could not write block: Disk quota exceeded')).toMatchObject(full);
    for (const code of ['22P05', '42703', '23505', '54000'])
      expect([code, await write(code)]).toMatchObject([code, { type: 'internal', passes: false }]);
  });

  it('gives values and plans to every machine, and takes nothing else for them', async () => {
    const value = { text: 'long '.repeat(200), odd: '\u0000 \ud800' };
    const stored = await here.putAlways(value);
    expect(await there.get(stored.ref)).toEqual(value);
    const plan = planOf('steps: [{command: [echo, hi]}]');
    await here.putPlan(plan);
    expect((await there.getPlan(plan.hash)).hash).toBe(plan.hash);
    const third = await open();
    await writeFile(fileOf(join(there.folder ?? '', 'values'), stored.ref), 'spoilt');
    expect(await (await openPostgresStore(url, there.folder ?? '')).get(stored.ref)).toEqual(value);
    await server.query(url, 'update perdure.stored_values set content = $1 where hash = $2', ['spoilt', stored.ref]);
    await expect(third.get(stored.ref)).rejects.toMatchObject({ type: 'store-missing' });
    await expect(third.get(sha256('nothing'))).rejects.toMatchObject({ type: 'store-missing' });
  });

  it('keeps journals: the last entry of a key holds, and keys keep their order', async () => {
    const entry = (text: string) => ({ request: sha256(text), response: text, at: '2026-01-01T00:00:00.000Z' });
    for (const key of ['b', 'a', 'b']) await here.writeJournal({ scope: 's', key }, entry(`${key} again`));
    expect((await there.listJournal('s')).map(([key]) => key)).toEqual(['b', 'a']);
    expect((await there.readJournal({ scope: 's', key: 'b' }))?.response).toBe('b again');
    const add = (store: Store): Promise<void> =>
      store.mergeJournal({ scope: 's', key: 'sum' }, (before) => ({
        ...entry('sum'),
        response: Number(before?.response ?? 0) + 1,
      }));
    await Promise.all([here, there, here, there].map(add));
    expect((await here.readJournal({ scope: 's', key: 'sum' }))?.response).toBe(4);
  });

  it('gives no more places than a hook has, whichever machine asks', async () => {
    const taken = await Promise.all(
      [here, there, here, there, here, there].map((store, index) =>
        store.takeHookPlace('hook', { starter: `s${index}`, at: 'then', most: 2, ended: [] }),
      ),
    );
    expect(taken.filter(({ isTaken }) => isTaken)).toHaveLength(2);
    const [{ starter } = { starter: '' }] = taken.flatMap(({ places }) => places);
    const wish = { starter: 'next', at: 'then', most: 2, ended: [starter] };
    expect((await there.takeHookPlace('hook', wish)).isTaken).toBe(true);
  });

  it('lets no calls pass a quota together, whichever machine makes them, and knows who follows whom', async () => {
    const { signal } = new AbortController();
    const asked = (index: number) => ({
      call: {
        root: { run: 'r', first: 'f', plan: sha256('p') },
        nested: null,
        step: 0,
        path: 's',
        try: 1,
        environment: {},
      },
      part: [index],
      terms: { usd: 1, user_usd: null, user: 'ana' },
    });
    const take = (index: number): Promise<boolean> =>
      takeQuota(index % 2 === 0 ? here : there, asked(index), {
        needs: { usd: 0.3, tokens: 0 },
        before: 0,
        signal,
      }).then(
        () => settleQuota(there, asked(index), null).then(() => true),
        () => false,
      );
    const took = await Promise.all(Array.from({ length: 12 }, (_, index) => take(index)));
    expect(took.filter(Boolean)).toHaveLength(3);
    const day = await readQuotaDay(here, dayOf(Date.now()));
    expect(takenOn(day, 'ana')).toEqual({ used: 0.9e9, held: 0 });
    const follower = { definition: 'b', file: 'b.yml', definitions: ['a'], ends: ['success' as const] };
    const synced = {
      ...follower,
      when: null,
      project: '..',
      prepared: sha256('1'),
      source: sha256('2'),
      settled: sha256('3'),
    };
    const all = Array.from({ length: 6 }, (_, index) => ({ ...synced, definition: `b${index}` }));
    await Promise.all(all.map((one, index) => (index % 2 === 0 ? here : there).changeFollowers({ put: [one] })));
    expect((await there.readFollowers()).map(({ definition }) => definition).sort()).toEqual(
      all.map(({ definition }) => definition),
    );
  });

  it('streams logs from one machine to another, in order', async () => {
    const log = here.openLog('run', 'build/one');
    log.write('stdout', 'first');
    log.write('stderr', 'second');
    await log.close();
    const first = await there.readLog('run', 'build/one', 0);
    expect(first.lines.map(({ text }) => text)).toEqual(['first', 'second']);
    const again = here.openLog('run', 'build/one');
    again.writeLast('text', 'third');
    await again.close();
    await here.logsWritten();
    const next = await there.readLog('run', 'build/one', first.next);
    expect(next.lines.map(({ text }) => text)).toEqual(['third']);
    expect(await there.readLog('run', 'build/one', next.next)).toEqual({ lines: [], next: next.next });
    expect(await there.listLogs('run')).toEqual(['build/one']);
  });

  it('keeps sessions, memories, narration, pauses, taint, devices and who was submitted for all', async () => {
    const head = { session_id: 'task-0a1b2c3d', agent_name: 'a', description: '', created_at: '2026-01-01T00:00:00Z' };
    await here.createSession(head);
    await here.addMessage(head.session_id, { role: 'user', content: 'Hi', run: 'r-1', at: '2026-01-02T00:00:00Z' });
    expect((await there.listSessions())[0]).toMatchObject({ messages: [{ content: 'Hi' }] });
    await here.addMemory({ category: 'goal', text: 'Ship in May.', by: 'ana' });
    await here.addMemory({ category: 'goal', text: 'Ship in June.', by: 'ana' });
    expect((await there.searchMemories({ query: '' })).map(({ text }) => text)).toEqual(['Ship in June.']);
    const claimed = await Promise.all([here, there, here].map((store) => store.claimConcept('run', 'testing')));
    expect(claimed.filter(Boolean)).toHaveLength(1);
    await here.writePause('p', { until: 2_000, reason: 'long' });
    await there.writePause('p', { until: 1_000, reason: 'short' });
    expect(await here.readPause('p')).toEqual({ until: 2_000, reason: 'long' });
    expect(await here.claimProbe('p', { until: 2_000, reason: '' }, 0)).toBe(true);
    expect(await there.claimProbe('p', { until: 2_000, reason: '' }, 0)).toBe(false);
    await there.writePause('p', null);
    expect(await here.readPause('p')).toBeNull();
    await here.taint(sha256('x'), 'run');
    expect(await there.taintedBy(sha256('x'))).toBe('run');
    await here.writeDevice('uno', { flashed: true });
    expect(await there.readDevice('uno')).toEqual({ flashed: true });
    const run = {
      run: 'r-1',
      definition: 'd',
      rehearsal: false,
      submitted_by: 'ana',
      submitted_at: '2026-01-01T00:00:00Z',
    };
    expect([await here.noteSubmitted(run), await there.noteSubmitted({ ...run, definition: 'e' })]).toEqual([
      true,
      false,
    ]);
    expect((await there.readSubmitted(['r-1', 'r-0'])).map(({ definition }) => definition)).toEqual(['d']);
    expect((await there.listUnrecorded()).map(({ run: id }) => id)).toEqual(['r-1']);
    expect((await there.readSession(head.session_id))?.status).toBe('active');
    await here.writeRun(runRecord('r-1'));
    expect((await there.readSession(head.session_id))?.status).toBe('error');
    expect(await there.listUnrecorded()).toEqual([]);
    await here.forgetRun('r-1');
    const token = await here.sign('gate');
    expect([await there.isSigned('gate', token), await there.isSigned('other', token)]).toEqual([true, false]);
  });

  it('gives records of closed runs the latest first, by pages, however many there are', async () => {
    const fresh = await server.createDatabase();
    const store = await openPostgresStore(fresh, temporaryFolder());
    const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
    const ids = Array.from({ length: 2_100 }, (_, index) => `run-${String(index)}`);
    // Two end at a time; nested runs are no part of the list.
    await Promise.all(ids.map((run, index) => store.writeRun({ ...runRecord(run), ended_at: at(index >> 1) })));
    await store.writeRun({ ...runRecord('run-1/nested'), ended_at: at(9_999) });
    await server.query(fresh, `update perdure.runs set record = 'spoilt' where run = 'run-7'`);
    const pages: string[][] = [];
    for await (const page of store.closedRuns()) pages.push(page.map(({ run }) => run));
    expect(pages.map(({ length }) => length)).toEqual([1_000, 1_000, 99]);
    const found = pages.flat();
    expect(new Set(found)).toEqual(new Set(ids.filter((run) => run !== 'run-7')));
    const minutes = found.map((run) => Number(run.slice('run-'.length)) >> 1);
    expect(minutes).toEqual(minutes.toSorted((a, b) => b - a));
    // One that is written again is where it ended last.
    await store.writeRun({ ...runRecord('run-2'), ended_at: at(8_888) });
    const { value: first } = await store.closedRuns().next();
    expect(first?.[0]?.run).toBe('run-2');
    expect((await store.closedRuns(3).next()).value).toHaveLength(3);
    expect(await store.countRuns()).toBe(2_100);
  });

  it('counts the time in which some worker was there', async () => {
    const leave = here.keepAlive();
    await expect.poll(() => there.countAlive([[Date.now() - 1000, Date.now() + 1000]])).toBeGreaterThan(0);
    leave();
    expect(await there.countAlive([[0, 1000]])).toBe(0);
  });

  it('waits while the database is away, and tells where it is and no password', async () => {
    await server.kill();
    const failure = await here.writeDevice('uno', null).then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ passes: true });
    expect(String(failure)).toContain(`127.0.0.1:${String(server.port)}`);
    await expect(open()).rejects.toThrow(/is not reached \(ECONNREFUSED\)/);
    // It starts as long as a busy machine makes it.
    const write = (): Promise<void> =>
      here.writeDevice('uno', { flashed: false }).catch((error: unknown) => {
        if (error instanceof StoreFailure && error.passes) return write();
        throw error;
      });
    const waiting = write();
    await server.start();
    await waiting;
    expect(await there.readDevice('uno')).toEqual({ flashed: false });
    const { stack = '', cause } = failure as Error;
    expect(`${stack}${String(cause)}${JSON.stringify(failure)}`).not.toContain(PASSWORD);
  });

  it.each(['not an address', `http://owner:${PASSWORD}@127.0.0.1/store`])(
    'refuses `%s` as an address without repeating it',
    async (address) => {
      const failure = await openPostgresStore(address, '/nowhere').catch(String);
      expect(failure).toMatch(/expected an address such as/);
      expect(failure).not.toContain(PASSWORD);
    },
  );
});
