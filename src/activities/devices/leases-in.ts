import type { Lease, LeaseRequest } from '../../plan/devices/device-queue.js';
import { LEASES_MEMO } from '../../plan/devices/device-queue.js';

const isText = (value: unknown): boolean => typeof value === 'string';

/** What a keeper shows in its memo: anybody on the server may start a workflow of its type, with any memo. */
export function leasesIn(memo: Record<string, unknown> | undefined): Lease[] {
  const shown = memo?.[LEASES_MEMO];
  return Array.isArray(shown) ? shown.filter(isLease) : [];
}

function isLease(value: unknown): value is Lease {
  const { key, device, tree, keeps, active, queue } = fieldsOf<Lease>(value);
  return (
    [key, device].every(isText) &&
    (tree === null || isText(tree)) &&
    (active === null || isRequest(active)) &&
    Array.isArray(keeps) &&
    keeps.every(isText) &&
    Array.isArray(queue) &&
    queue.every(isRequest)
  );
}

function isRequest(value: unknown): boolean {
  const { key, device, tree, run, path, since } = fieldsOf<LeaseRequest>(value);
  return [key, device, tree, run, path, since].every(isText);
}

function fieldsOf<T>(value: unknown): Partial<Record<keyof T, unknown>> {
  return typeof value === 'object' && value !== null ? value : {}; // looked at, never trusted
}
