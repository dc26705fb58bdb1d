// @module-tag postgres
// @seconds 90
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Claim, JournalEntry, Taken } from '../../../src/store/journal/entry.js';
import { sha256 } from '../../../src/store/hash.js';
import { readAddress } from '../../../src/store/postgres/address.js';
import type { Database, Parameter, Row } from '../../../src/store/postgres/database.js';
import { openDatabase } from '../../../src/store/postgres/database.js';
import { createJournal } from '../../../src/store/postgres/journal.js';
import { migrate } from '../../../src/store/postgres/migrations.js';
import type { PostgresServer } from './server.js';
import { refuseLongAnswers, startPostgres } from './server.js';

/** So long that a busy machine is not taken for a lost owner. */
const TIMES = { leaseMs: 3_000, beatMs: 1_000 };
const REQUEST = sha256('what is asked');

const opened: Database[] = [];
let server: PostgresServer;
let url: string;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
  await migrate(openDatabase(readAddress(url)));
});
afterEach(() => Promise.all(opened.splice(0).map((database) => database.close())));
afterAll(() => server.remove());

let restarting: Promise<void> | null = null;
/** Of several who want it at once one does it. */
function restart(): Promise<void> {
  restarting ??= server
    .kill()
    .then(() => server.start())
    .finally(() => (restarting = null));
  return restarting;
}

type Journal = ReturnType<typeof createJournal>;

/** A worker's journal; while it is cut it stands still, as a process that is stopped. */
function worker(): Journal & { cut: () => unknown; mend: () => void; answers: () => number } {
  const database = openDatabase(readAddress(url), { patienceMs: 20_000, connections: 2 });
  opened.push(database);
  let gate: Gate | null = null;
  let answers = 0;
  const reached: Database = {
    ...database,
    async query<R extends Row>(text: string, parameters?: Parameter[]) {
      await gate?.opened;
      const rows = await database.query<R>(text, parameters);
      answers += 1;
      return rows;
    },
  };
  return {
    ...createJournal(reached, TIMES),
    answers: () => answers,
    cut: () => (gate = closedGate()),
    mend: () => {
      gate?.open();
      gate = null;
    },
  };
}

interface Gate {
  opened: Promise<void>;
  open: () => void;
}

function closedGate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

function answer(text: string): JournalEntry {
  return { request: REQUEST, response: { text }, at: '2026-01-01T00:00:00.000Z' };
}

function claimIn(taken: Taken): Claim {
  if (!('claim' in taken)) throw new Error(`expected a claim, got ${JSON.stringify(taken)}`);
  return taken.claim;
}

let scopes = 0;
function someKey(): { scope: string; key: string } {
  scopes += 1;
  return { scope: `scope-${String(scopes)}`, key: '["build",1]' };
}

describe('claims', () => {
  it('lets one of many workers ask, and gives its answer to all others', async () => {
    const key = someKey();
    let asked = 0;
    const ask = async (one: Journal): Promise<unknown> => {
      const taken = await one.claimQuestion(key, REQUEST);
      if ('entry' in taken) return taken.entry.response;
      asked += 1;
      await pause(TIMES.leaseMs * 2); // longer than a lease: beats keep it
      expect(await taken.claim.answer(answer('the one'))).toBe(true);
      return { text: 'the one' };
    };
    const answers = await Promise.all([worker(), worker(), worker(), worker()].map(ask));
    expect(asked).toBe(1);
    expect(answers).toEqual(Array.from({ length: 4 }, () => ({ text: 'the one' })));
    expect(await worker().listAskedAgain(key.scope)).toEqual([]);
  });

  it('fences an owner that stood still: another asks once more, and the late answer is none', async () => {
    const [slow, quick] = [worker(), worker()];
    const key = someKey();
    const first = claimIn(await slow.claimQuestion(key, REQUEST));
    slow.cut(); // as a process that is stopped
    const second = claimIn(await quick.claimQuestion(key, REQUEST));
    expect(second.lost).toBe(1);
    expect(await second.answer(answer('second'))).toBe(true);
    slow.mend();
    expect(await first.answer(answer('first'))).toBe(false);
    expect(first.signal?.aborted).toBe(true);
    expect((await quick.readJournal(key))?.response).toEqual({ text: 'second' });
    expect(await quick.listAskedAgain(key.scope)).toEqual([{ key: key.key, lost: 1 }]);
  });

  it('tells an owner that woke up that it is out, before its answer comes', async () => {
    const [slow, quick] = [worker(), worker()];
    const key = someKey();
    const { signal } = claimIn(await slow.claimQuestion(key, REQUEST));
    slow.cut();
    const second = claimIn(await quick.claimQuestion(key, REQUEST));
    slow.mend();
    await expect.poll(() => signal?.aborted).toBe(true);
    expect(second.signal?.aborted).toBe(false);
    await second.release();
  });

  it('hands on at once what its owner gave back, and counts nobody as lost', async () => {
    const [one, other] = [worker(), worker()];
    const key = someKey();
    const first = claimIn(await one.claimQuestion(key, REQUEST));
    const waiting = other.claimQuestion(key, REQUEST);
    await first.release();
    expect(claimIn(await waiting).lost).toBe(0);
  });

  it('ends a wait by its signal', async () => {
    const [one, other] = [worker(), worker()];
    const key = someKey();
    const first = claimIn(await one.claimQuestion(key, REQUEST));
    const stop = new AbortController();
    const waiting = other.claimQuestion(key, REQUEST, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    await first.release();
  });

  it('begins a key once among workers', async () => {
    const key = someKey();
    const begun = await Promise.all([worker(), worker(), worker()].map((one) => one.beginOnce(key, answer('begun'))));
    expect(begun.filter(Boolean)).toHaveLength(1);
  });

  it('keeps the owner through an outage of the database that lasts longer than a lease', async () => {
    const [one, other] = [worker(), worker()];
    const key = someKey();
    const first = claimIn(await one.claimQuestion(key, REQUEST));
    const waiting = other.claimQuestion(key, REQUEST);
    await server.kill();
    await pause(TIMES.leaseMs * 3);
    await server.start();
    expect(await first.answer(answer('through'))).toBe(true);
    expect(await waiting).toMatchObject({ entry: { response: { text: 'through' } } });
  });

  it('leaves an owner that was late as the database came back its time to say that it is there', async () => {
    const [one, other] = [worker(), worker()];
    const key = someKey();
    const first = claimIn(await one.claimQuestion(key, REQUEST));
    const waiting = other.claimQuestion(key, REQUEST);
    await expect.poll(other.answers, { interval: 10 }).toBeGreaterThan(3); // it waits, and looks
    one.cut();
    await server.kill();
    await pause(TIMES.leaseMs * 3);
    const before = other.answers();
    await server.start();
    await expect.poll(other.answers, { interval: 10 }).toBeGreaterThan(before + 1);
    one.mend();
    expect(await first.answer(answer('late'))).toBe(true);
    expect(await waiting).toMatchObject({ entry: { response: { text: 'late' } } });
  });

  it('writes an answer that came while the database was away as soon as it is back', async () => {
    const key = someKey();
    const database = openDatabase(readAddress(url), { patienceMs: 100 });
    opened.push(database);
    const one = createJournal(database, TIMES);
    const claim = claimIn(await one.claimQuestion(key, REQUEST));
    await server.kill();
    await expect(claim.answer(answer('kept'))).rejects.toMatchObject({ passes: true });
    await server.start();
    expect(await worker().claimQuestion(key, REQUEST)).toMatchObject({ entry: { response: { text: 'kept' } } });
  });

  it('keeps its other questions while the database refuses an answer, and writes that once it is taken', async () => {
    const [one, other] = [worker(), worker()];
    const [refused, open] = [someKey(), someKey()];
    const answered = claimIn(await one.claimQuestion(refused, REQUEST));
    const asked = claimIn(await one.claimQuestion(open, REQUEST));
    const mend = await refuseLongAnswers(server, url);
    const long = answer('long '.repeat(1_000));
    await expect(answered.answer(long)).rejects.toMatchObject({ passes: true });
    const waiting = [other.claimQuestion(open, REQUEST), other.claimQuestion(refused, REQUEST)];
    // So often both are looked at until an owner that is silent counts as lost, and half as often again.
    await expect.poll(other.answers, { interval: 100 }).toBeGreaterThan(((TIMES.leaseMs + 2 * TIMES.beatMs) / 250) * 3);
    expect([asked.signal?.aborted, answered.signal?.aborted]).toEqual([false, false]);
    await mend();
    expect(await waiting[1]).toEqual({ entry: long });
    expect(await asked.answer(answer('asked once'))).toBe(true);
    expect(await waiting[0]).toMatchObject({ entry: { response: { text: 'asked once' } } });
    expect([await one.listAskedAgain(open.scope), await one.listAskedAgain(refused.scope)]).toEqual([[], []]);
  });

  it('gives back a question whose answer the database never takes', async () => {
    const [one, other] = [worker(), worker()];
    const key = someKey();
    const claim = claimIn(await one.claimQuestion(key, REQUEST));
    const mend = await refuseLongAnswers(server, url, '22P05');
    await expect(claim.answer(answer('long '.repeat(1_000)))).rejects.toMatchObject({ passes: false });
    expect(claimIn(await other.claimQuestion(key, REQUEST)).lost).toBe(0);
    await mend();
  });

  it('gives back a question whose answer the database does not take now, and later never', async () => {
    const [one, other] = [worker(), worker()];
    const key = someKey();
    const claim = claimIn(await one.claimQuestion(key, REQUEST));
    const mend = await refuseLongAnswers(server, url);
    await expect(claim.answer(answer('long '.repeat(1_000)))).rejects.toMatchObject({ passes: true });
    const waiting = other.claimQuestion(key, REQUEST);
    await refuseLongAnswers(server, url, '22P05');
    expect(claimIn(await waiting).lost).toBe(0);
    await mend();
  });

  it('never has two asking that reach the database, whatever is killed and cut', async () => {
    const step = fc.record({
      who: fc.nat({ max: 2 }),
      what: fc.constantFrom('ask' as const, 'ask' as const, 'give back' as const, 'stand still' as const),
      forMs: fc.integer({ min: 0, max: TIMES.leaseMs * 2 }),
      killAfterMs: fc.option(fc.integer({ min: 0, max: 300 }), { freq: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 5 }), async (steps) => {
        const workers = [worker(), worker(), worker()] as const;
        const key = someKey();
        const asking = new Set<{ who: number }>();
        const told: string[] = [];
        let stalls = 0;
        await Promise.all(
          steps.map(async ({ who, what, forMs, killAfterMs }, index) => {
            const own = workers[who as 0 | 1 | 2];
            const taken = await own.claimQuestion(key, REQUEST);
            if ('entry' in taken) return void told.push(String((taken.entry.response as { text: string }).text));
            // Who stands still is not counted: nobody knows of it.
            expect([...asking]).toEqual([]);
            const isStill = what === 'stand still';
            if (isStill) {
              stalls += 1;
              for (const one of asking) if (one.who === who) asking.delete(one);
              own.cut();
              await pause(TIMES.leaseMs * 3);
              own.mend();
            } else {
              const self = { who };
              asking.add(self);
              if (killAfterMs !== null) {
                await pause(killAfterMs);
                await restart();
              }
              await pause(forMs);
              asking.delete(self);
            }
            if (what === 'give back') await taken.claim.release();
            else if (await taken.claim.answer(answer(String(index)))) told.push(String(index));
          }),
        );
        expect(new Set(told).size).toBeLessThanOrEqual(1);
        const lost = (await workers[0].listAskedAgain(key.scope)).reduce((sum, one) => sum + one.lost, 0);
        expect(lost).toBeLessThanOrEqual(stalls);
      }),
      { numRuns: 3, seed: 7, endOnFailure: true },
    );
  });
});
