import type { WorkerRecord } from '../../../src/plan/placement/worker-record.js';

/** A worker that has nothing special, but for what is given. */
export function workerRecord(known: Partial<WorkerRecord>): WorkerRecord {
  return {
    id: 'w',
    host: 'h',
    pid: 1,
    folder: '/f',
    queue: 'q',
    labels: [],
    serves: [],
    since: '2026-01-01T00:00:00Z',
    draining: false,
    ...known,
  };
}
