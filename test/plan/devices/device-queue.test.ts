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

describe('what the keeper hears', () => {
  it('gives the device again to who asks again: it was not told, or has begun anew', () => {
    const since = '2026-01-02T00:00:00.000Z';
    const [lease] = takeMessage(leasesAfter(ask('uno', 'a'), ask('uno', 'b')), ask('uno', 'a', { since }));
    expect(lease).toMatchObject({ active: null, tree: 'a', queue: [{ run: 'a', since }, { run: 'b' }] });
    expect(nextTurn(lease!)).toMatchObject({ run: 'a' }); // there is one
    expect(nextTurn(leasesAfter(ask('uno', 'a'), ask('uno', 'b'))[0]!)).toBeNull();
  });

  it('takes a step from the queue that is over before its turn, and no other of its run', () => {
    const second: KeeperMessage = { ...ask('uno', 'b'), path: 'later' } as KeeperMessage;
    const leases = leasesAfter(ask('uno', 'a'), ask('uno', 'b'), second, done('uno', 'b', false));
    expect(leases).toMatchObject([{ tree: 'a', active: { run: 'a' }, queue: [{ run: 'b', path: 'later' }] }]);
  });

  it('keeps a device for a run until that lets it go', () => {
    const kept = leasesAfter(...keeps('uno', 'a'));
    expect(kept).toMatchObject([{ key: 'lab/uno', device: 'uno', tree: 'a', keeps: ['a'], active: null }]);
    expect(takeMessage(kept, { kind: 'release', key: 'lab/uno', run: 'other' })).toEqual(kept);
    expect(takeMessage(kept, { kind: 'release', key: 'lab/uno', run: 'a' })).toEqual([]);
    const twice = leasesAfter(...keeps('uno', 'a'), ...keeps('uno', 'a'));
    expect(twice[0]?.keeps).toEqual(['a']);
    const both = leasesAfter(...keeps('uno', 'a'), ask('uno', 'a/x', { tree: 'a' }), done('uno', 'a/x', true));
    expect(both[0]?.keeps).toEqual(['a', 'a/x']);
    expect(takeMessage(both, { kind: 'release', key: 'lab/uno', run: 'a' })).toMatchObject([
      { tree: 'a', keeps: ['a/x'] },
    ]);
  });

  it('changes no other device', () => {
    const leases = leasesAfter(ask('uno', 'a'), ask('nano', 'a'), ask('nano', 'b'));
    expect(leases.map(({ key }) => key)).toEqual(['lab/uno', 'lab/nano']);
    const after = dropRun(leases, 'a');
    expect(after).toMatchObject([{ key: 'lab/nano', tree: null, active: null, queue: [{ run: 'b' }] }]);
    expect(dropRun(leases, 'b')).toMatchObject([{ active: { run: 'a' } }, { active: { run: 'a' }, queue: [] }]);
    expect(takeMessage(leases, done('mega', 'a', false))).toEqual(leases);
    expect(takeMessage([], { kind: 'release', key: 'lab/uno', run: 'a' })).toEqual([]);
  });

  it('lets nobody in while a tree keeps a device, and whoever was first once nobody does', () => {
    const kept = leasesAfter(...keeps('uno', 'a'), ask('uno', 'b'), ask('uno', 'c'));
    expect(nextTurn(kept[0]!)).toBeNull(); // there is one
    const [free] = takeMessage(kept, { kind: 'release', key: 'lab/uno', run: 'a' });
    expect(nextTurn(free!)).toMatchObject({ run: 'b' });
    expect(granted(free!, nextTurn(free!)!)).toMatchObject({ tree: 'b', active: { run: 'b' }, queue: [{ run: 'c' }] });
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

  it('names the last to come, whichever waits first', () => {
    const circle = (first: object, second: object): unknown =>
      deadlocked(
        leasesAfter(...keeps('uno', 'a'), ...keeps('nano', 'b'), ask('nano', 'a', first), ask('uno', 'b', second)),
      );
    expect(circle(later, {})).toMatchObject({ request: { run: 'a' }, others: ['b'] });
    expect(circle({}, later)).toMatchObject({ request: { run: 'b' }, others: ['a'] });
  });

  it('is none of who waits for a circle and is not in it, nor of what nobody keeps', () => {
    const leases = leasesAfter(
      ...keeps('uno', 'a'),
      ...keeps('nano', 'b'),
      ask('nano', 'a'),
      ask('uno', 'b'),
      ask('uno', 'z', later),
    );
    expect(deadlocked(leases)?.request.run).not.toBe('z');
    expect(deadlocked([])).toBeNull();
    expect(deadlocked(takeMessage([], ask('uno', 'a')))).toBeNull();
  });

  it('is none where a step is at work, or where a run waits for one that waits for nobody', () => {
    expect(deadlocked(leasesAfter(ask('uno', 'a'), ...keeps('nano', 'b'), ask('uno', 'b')))).toBeNull();
    expect(deadlocked(leasesAfter(...keeps('uno', 'a'), ask('uno', 'b'), ask('uno', 'c')))).toBeNull();
  });
});
