import { describe, expect, it } from 'vitest';
import { coalesce } from '../../src/store/coalesce.js';

/** Work that ends when the test says so. */
function heldWork(): { work: (key: string) => Promise<void>; begun: string[]; end: (error?: Error) => Promise<void> } {
  const begun: string[] = [];
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  return {
    begun,
    work: (key) => {
      begun.push(key);
      return new Promise((resolve, reject) => ends.push({ resolve, reject }));
    },
    end: async (error) => {
      const [first] = ends.splice(0, 1);
      if (error === undefined) first?.resolve();
      else first?.reject(error);
      await turn();
    },
  };
}

/** All that is ready to go on has gone on. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('work in common', () => {
  it('is done once for all who ask before it begins', async () => {
    const { work, begun, end } = heldWork();
    const sync = coalesce(work);
    const asked = Promise.all([sync('a'), sync('a'), sync('a')]);
    await turn();
    await end();
    await asked;
    expect(begun).toEqual(['a']);
  });

  it('is done once more for those who ask while it is under way, who wait for that one', async () => {
    const { work, begun, end } = heldWork();
    const sync = coalesce(work);
    const ended: string[] = [];
    const first = sync('a').then(() => ended.push('first'));
    await turn();
    const later = Promise.all([sync('a').then(() => ended.push('second')), sync('a').then(() => ended.push('third'))]);
    await turn();
    expect(begun).toEqual(['a']);
    await end();
    await first;
    expect({ begun, ended }).toEqual({ begun: ['a', 'a'], ended: ['first'] });
    await end();
    await later;
    expect({ begun, ended }).toEqual({ begun: ['a', 'a'], ended: ['first', 'second', 'third'] });
  });

  it('of different keys does not wait for each other', async () => {
    const { work, begun, end } = heldWork();
    const sync = coalesce(work);
    const asked = Promise.all([sync('a'), sync('b')]);
    await turn();
    expect(begun).toEqual(['a', 'b']);
    await end();
    await end();
    await asked;
  });

  it('that fails is told to those who share it, and to nobody after them', async () => {
    const { work, begun, end } = heldWork();
    const sync = coalesce(work);
    const failed = Promise.allSettled([sync('a'), sync('a')]);
    await turn();
    const after = sync('a');
    await end(new Error('disk gone'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await end();
    await after;
    expect(begun).toEqual(['a', 'a']);
  });
});
