import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sha256 } from '../../../src/store/hash.js';
import { openJournal } from '../../../src/store/journal/journal.js';
import { temporaryFolder } from '../helpers/harness.js';

const entry = (text: string) => ({ request: sha256(text), response: { text }, at: '2026-01-01T00:00:00.000Z' });

/** A journal whose disk works when it is told to: what each sync took, and how to end the one that is under way. */
async function slowDisk() {
  const path = join(await temporaryFolder(), 'a.ndjson');
  const syncs: { lines: number; end: (error?: Error) => void }[] = [];
  const journal = openJournal(
    path,
    () =>
      new Promise<void>((done, failed) => {
        const lines = readFileSync(path, 'utf8').split('\n').length - 1;
        syncs.push({ lines, end: (error) => (error === undefined ? done() : failed(error)) });
      }),
  );
  return { journal, syncs };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('an answer that is to be on the disk', () => {
  it('is waited for until a sync has taken it', async () => {
    const { journal, syncs } = await slowDisk();
    let told = false;
    const written = journal.append('a', entry('a'), true).then(() => (told = true));
    await expect.poll(() => syncs.map(({ lines }) => lines)).toEqual([1]);
    expect(told).toBe(false);
    syncs[0]?.end();
    await written;
    expect(journal.read('a')).toEqual(entry('a'));
  });

  it('shares one sync with all that came while another was under way', async () => {
    const { journal, syncs } = await slowDisk();
    const first = journal.append('a', entry('a'), true);
    await expect.poll(() => syncs.length).toBe(1);
    const others = ['b', 'c', 'd'].map((key) => journal.append(key, entry(key), true));
    await expect.poll(() => journal.list()).toHaveLength(4);
    expect(syncs).toHaveLength(1);
    syncs[0]?.end();
    await first;
    await expect.poll(() => syncs.map(({ lines }) => lines)).toEqual([1, 4]);
    syncs[1]?.end();
    await Promise.all(others);
    expect(syncs).toHaveLength(2);
  });

  it('is an error where the disk does not take it', async () => {
    const { journal, syncs } = await slowDisk();
    const written = journal.append('a', entry('a'), true);
    await expect.poll(() => syncs.length).toBe(1);
    syncs[0]?.end(Object.assign(new Error('no more'), { code: 'EIO' }));
    await expect(written).rejects.toMatchObject({ name: 'StoreFailure' });
  });

  it("is nobody's wait where that was not asked for, and comes there with all of five seconds", async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { journal, syncs } = await slowDisk();
    await journal.append('a', entry('a'));
    await vi.advanceTimersByTimeAsync(4_900);
    await journal.append('b', entry('b'));
    expect(syncs).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(syncs.map(({ lines }) => lines)).toEqual([2]);
    syncs[0]?.end();
    await journal.append('c', entry('c'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(syncs.map(({ lines }) => lines)).toEqual([2, 3]);
  });

  it('fails all that come after one that the disk did not take, though nobody waited for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { journal, syncs } = await slowDisk();
    await journal.append('a', entry('a'));
    await vi.advanceTimersByTimeAsync(5_000);
    syncs[0]?.end(Object.assign(new Error('no more'), { code: 'EIO' }));
    await vi.advanceTimersByTimeAsync(0);
    await expect(journal.append('b', entry('b'))).rejects.toMatchObject({
      name: 'StoreFailure',
      message: expect.stringContaining('write'),
    });
    expect(journal.read('b')).toBeNull();
  });
});
