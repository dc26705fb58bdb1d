import { describe, expect, it } from 'vitest';
import { ofVersions, takersOf, versionsText } from '../../../src/plan/placement/takers.js';
import type { WorkerRecord } from '../../../src/plan/placement/worker-record.js';
import { workerRecord } from '../helpers/worker-record.js';

const one = { name: 'shop', build: '1' };
const two = { name: 'shop', build: '2' };
const nobody = { pinned: null, isKnown: false, current: null, currentOfAll: null };

function worker(id: string, version: typeof one | null): WorkerRecord {
  return workerRecord({
    id,
    ...(version === null ? {} : { deployment: { ...version, behavior: 'pinned' } }),
  });
}

describe('what a run requires', () => {
  it('is taken by the version that it is pinned to, where workers of that ever took such', () => {
    expect(takersOf({ pinned: one, isKnown: true, current: two, currentOfAll: two })).toEqual([one]);
  });

  it('else goes to the version that takes from the queue what is not pinned', () => {
    expect(takersOf({ pinned: one, isKnown: false, current: two, currentOfAll: two })).toEqual([one, two]);
    expect(takersOf({ ...nobody, current: two, currentOfAll: one })).toEqual([two]);
    expect(takersOf({ ...nobody, currentOfAll: two })).toEqual([two, null]);
    expect(takersOf(nobody)).toEqual([null]);
  });

  it('is taken by no worker of another version', () => {
    const workers = [worker('a', one), worker('b', two), worker('c', null)];
    const taking = (versions: (typeof one | null)[]): string[] => ofVersions(workers, versions).map(({ id }) => id);
    expect([taking([one]), taking([two, null]), taking([null])]).toEqual([['a'], ['b', 'c'], ['c']]);
    expect([versionsText([one, two]), versionsText([two, null]), versionsText([null])]).toEqual([
      'of the version `shop:1` or `shop:2`',
      'of the version `shop:2`',
      'without a version',
    ]);
  });
});
