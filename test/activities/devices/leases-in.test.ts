import { expect, it } from 'vitest';
import { leasesIn } from '../../../src/activities/devices/leases-in.js';
import type { Lease } from '../../../src/plan/devices/device-queue.js';
import { deadlocked, LEASES_MEMO } from '../../../src/plan/devices/device-queue.js';

it('a memo shows leases as keepers have them, and nothing else of it is one', () => {
  const request = { key: 'q/usb', device: 'board', tree: 'x', run: 'x', path: 'flash', since: '2026-01-01T00:00:00Z' };
  const lease: Lease = { key: 'q/usb', device: 'board', tree: 'y', keeps: ['y'], active: null, queue: [request] };
  const free: Lease = { ...lease, tree: null, keeps: [], active: request, queue: [] };
  const wrong = [
    ...[{ queue: 5 }, { queue: [null] }, { queue: [{ ...request, tree: 1 }] }, { keeps: [1] }, { keeps: null }],
    ...[{ active: 1 }, { active: undefined }, { tree: 5 }, { tree: undefined }, { key: null }],
  ].map((its) => ({ ...lease, ...its }));
  const found = leasesIn({ [LEASES_MEMO]: [null, 5, 'lease', [], {}, ...wrong, lease, free] });
  expect(found).toEqual([lease, free]);
  expect(deadlocked(found)).toBeNull();
  for (const shown of [undefined, null, 5, { 0: lease }]) expect(leasesIn({ [LEASES_MEMO]: shown })).toEqual([]);
});
