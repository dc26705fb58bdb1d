import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import { createLiveListing } from '../../../src/web/data/live-listing.js';
import type { SharedSession } from '../../../src/web/data/shared-link.js';
import { temporaryFolder } from '../../store/helpers/harness.js';
import { runRecord } from '../../store/helpers/run-record.js';

const RUNS = 100;
/** What is kept is looked at anew after half a minute. */
const LATER_MS = 31_000;

async function addClosed(store: Store, run: string): Promise<void> {
  await store.noteSubmitted({
    run,
    definition: 'hello',
    description: `about ${run}`,
    rehearsal: false,
    submitted_by: 'ana',
    submitted_at: '2026-11-01T10:00:00.000Z',
  });
  await store.writeRun(runRecord(run));
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the list of runs that pages show', () => {
  it('reads what is known of each closed run once, however often it is looked at', async () => {
    const folder = join(await temporaryFolder(), 'state');
    const store = await openStore(folder);
    const ids = Array.from({ length: RUNS }, (_, index) => `hello-${index}`);
    await Promise.all(ids.map((run) => addClosed(store, run)));
    const read: string[] = [];
    let all = 0;
    const counting: Store = {
      ...store,
      closedRuns: () => {
        all += 1;
        return store.closedRuns();
      },
      readRun: (run) => {
        read.push(run);
        return store.readRun(run);
      },
    };
    // Nothing was ever run by a server: all that is known stands in files.
    const session = {
      store: counting,
      mayKnowRuns: () => false,
      patiently: <T>(ask: () => Promise<T>): Promise<T> => ask(),
    } as unknown as SharedSession;
    const listing = createLiveListing(session);
    expect((await listing.read(Infinity)).runs).toHaveLength(RUNS);
    expect([all, read]).toEqual([1, []]);

    // Whoever read one of these files again would not find the run in it.
    for (const run of ids)
      for (const kind of ['runs', 'submitted']) await writeFile(join(folder, kind, `${run}.json`), '{}');
    await addClosed(store, 'hello-new');
    const now = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(now + LATER_MS);
    const { runs } = await listing.read(Infinity);
    expect(runs).toHaveLength(RUNS + 1);
    expect(runs.every(({ run, description }) => description === `about ${run}`)).toBe(true);
    expect([all, read]).toEqual([1, ['hello-new']]);
  });

  it('reads no more of those that have ended than are looked at', async () => {
    const store = await openStore(join(await temporaryFolder(), 'state'));
    for (let index = 0; index < RUNS; index += 1) await addClosed(store, `hello-${index}`);
    const read: string[] = [];
    const counting: Store = {
      ...store,
      closedRuns: async function* (atOnce) {
        for await (const page of store.closedRuns(atOnce)) {
          read.push(...page.map(({ run }) => run));
          yield page;
        }
      },
    };
    const session = {
      store: counting,
      mayKnowRuns: () => false,
      patiently: <T>(ask: () => Promise<T>): Promise<T> => ask(),
    } as unknown as SharedSession;
    const listing = createLiveListing(session);
    const { runs, more } = await listing.read(10);
    expect([runs.length, more, read.length]).toEqual([10, RUNS - 10, 11]);
    // What was read for one page serves those before it, and not those after.
    expect((await listing.read(5)).runs).toHaveLength(10);
    expect(read).toHaveLength(11);
    expect(await listing.read(Infinity)).toMatchObject({ more: 0 });
    expect((await listing.read(10)).runs).toHaveLength(RUNS);
  });
});
