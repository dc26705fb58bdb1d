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
  /** The keys of all lines. */
  const linesOf = (): string[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { key: string }).key);
  return { journal, syncs, linesOf };
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

  it.each(['a', 'b'])('that the disk did not take is written again with the next, of key %s', async (next) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { journal, syncs, linesOf } = await slowDisk();
    await journal.append('a', entry('old'));
    await journal.append('a', entry('a'));
    await vi.advanceTimersByTimeAsync(5_000);
    syncs[0]?.end(Object.assign(new Error('no more'), { code: 'ENOSPC' }));
    await vi.advanceTimersByTimeAsync(0);

    const refused = journal.append(next, entry(next));
    await expect.poll(() => syncs.length).toBe(next === 'a' ? 1 : 2);
    syncs[1]?.end(Object.assign(new Error('no more'), { code: 'ENOSPC' }));
    if (next === 'b') await expect(refused).rejects.toMatchObject({ name: 'StoreFailure' });

    const written = journal.append(next, entry(next), true);
    await expect.poll(() => syncs.length).toBe(next === 'a' ? 2 : 3);
    syncs.at(-1)?.end();
    await written;
    expect(linesOf().slice(2)).toEqual(next === 'a' ? ['a', 'a'] : ['a', 'b', 'a', 'b']);
    expect(journal.read('a')).toEqual(entry('a'));
    expect(journal.read(next)).toEqual(entry(next));
    await journal.append('c', entry('c'));
    expect(linesOf().at(-2)).toBe(next);
  });

  it('fails with the sync before it, and is on the disk when it is asked for again', async () => {
    const { journal, syncs, linesOf } = await slowDisk();
    const first = journal.append('a', entry('a'), true);
    await expect.poll(() => syncs.length).toBe(1);
    const second = journal.append('b', entry('b'), true);
    await expect.poll(() => linesOf()).toEqual(['a', 'b']);
    syncs[0]?.end(Object.assign(new Error('no more'), { code: 'EIO' }));
    await expect(first).rejects.toMatchObject({ name: 'StoreFailure' });
    await expect(second).rejects.toMatchObject({ name: 'StoreFailure' });
    const again = journal.append('b', entry('b'), true);
    await expect.poll(() => syncs.length).toBe(2);
    syncs[1]?.end();
    await again;
    expect(linesOf()).toEqual(['a', 'b', 'a', 'b']);
  });
});
