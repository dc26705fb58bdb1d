import { afterAll } from 'vitest';
import { createActivities } from '../../../src/activities/create-activities.js';
import type { Harness } from './harness.js';

/**
 * Starts a worker for the tests of a file on which whatever an endpoint answers at once comes in time, however busy the
 * machine is. Gives its task queue.
 */
export async function patientWorker(harness: Harness): Promise<string> {
  const taskQueue = 'patient';
  afterAll(await harness.work(taskQueue, (_own, deps) => createActivities({ ...deps, momentMs: 60_000 })));
  return taskQueue;
}
