import { describe, expect, it } from 'vitest';
import type { KeeperMessage, Lease, LeaseRequest } from '../../../src/plan/devices/device-queue.js';
import { deadlocked, dropRun, granted, nextTurn, takeMessage } from '../../../src/plan/devices/device-queue.js';

const request = (device: string, run: string, more: Partial<LeaseRequest> = {}): LeaseRequest => ({
  key: `lab/${device}`,
  device,
  tree: run,
  run,
  path: device,
  since: '2026-01-01T00:00:00.000Z',
  ...more,
});

/** What the keeper makes of these messages: whoever's turn it is, gets it. */
function leasesAfter(...messages: KeeperMessage[]): Lease[] {
  return messages.reduce<Lease[]>(
    (leases, message) =>
      takeMessage(leases, message).map((lease) => {
        const next = nextTurn(lease);
        return next === null ? lease : granted(lease, next);
      }),
    [],
  );
}

const ask = (device: string, run: string, more: Partial<LeaseRequest> = {}): KeeperMessage => ({
  kind: 'request',
  ...request(device, run, more),
});
const done = (device: string, run: string, keep: boolean): KeeperMessage => ({
  kind: 'done',
  key: `lab/${device}`,
  run,
  path: device,
  keep,
});
const keeps = (device: string, run: string): KeeperMessage[] => [ask(device, run), done(device, run, true)];

describe('a lease', () => {
  it('goes to the first who asked, and on to the next when that one is done', () => {
    const [lease] = leasesAfter(ask('uno', 'a'), ask('uno', 'b'), ask('uno', 'c'), done('uno', 'a', false));
    expect(lease).toMatchObject({ tree: 'b', active: { run: 'b' }, queue: [{ run: 'c' }] });
  });

  it('that a run keeps is for its own tree only', () => {
    const kept = leasesAfter(...keeps('uno', 'a'), ask('uno', 'b'));
    expect(kept).toMatchObject([{ tree: 'a', active: null, queue: [{ run: 'b' }] }]);
    expect(leasesAfter(...keeps('uno', 'a'), ask('uno', 'b'), ask('uno', 'a/nested', { tree: 'a' }))).toMatchObject([
      { active: { run: 'a/nested' }, queue: [{ run: 'b' }] },
    ]);
  });

  it('is the same after a message that comes twice', () => {
    const once = leasesAfter(ask('uno', 'a'), ask('uno', 'b'), done('uno', 'a', false));
    expect(
      leasesAfter(ask('uno', 'a'), ask('uno', 'b'), ask('uno', 'b'), done('uno', 'a', false), done('uno', 'a', false)),
    ).toEqual(once);
  });

  it('of a run that is gone is free, and so is its place in the queue', () => {
    expect(dropRun(leasesAfter(...keeps('uno', 'a'), ask('uno', 'b')), 'a')).toMatchObject([
      { tree: null, queue: [{ run: 'b' }] },
    ]);
    expect(dropRun(leasesAfter(ask('uno', 'a')), 'a')).toEqual([]);
  });
});

describe('a wait that never ends', () => {
  const later = { since: '2026-01-01T00:00:01.000Z' };

  it('is found where two runs keep what the other wants: the last to come is named', () => {
    expect(
      deadlocked(leasesAfter(...keeps('uno', 'a'), ...keeps('nano', 'b'), ask('nano', 'a'), ask('uno', 'b', later))),
    ).toMatchObject({ request: { run: 'b', device: 'uno' }, others: ['a'] });
  });

  it('is found through any number of runs', () => {
    const leases = leasesAfter(
      ...keeps('uno', 'a'),
      ...keeps('nano', 'b'),
      ...keeps('mega', 'c'),
      ask('nano', 'a'),
      ask('mega', 'b'),
      ask('uno', 'c', later),
    );
    expect(deadlocked(leases)).toMatchObject({ request: { run: 'c', device: 'uno' }, others: ['a', 'b'] });
  });

  it('is none where a step is at work, or where a run waits for one that waits for nobody', () => {
    expect(deadlocked(leasesAfter(ask('uno', 'a'), ...keeps('nano', 'b'), ask('uno', 'b')))).toBeNull();
    expect(deadlocked(leasesAfter(...keeps('uno', 'a'), ask('uno', 'b'), ask('uno', 'c')))).toBeNull();
  });
});
