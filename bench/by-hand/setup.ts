import { readFile } from 'node:fs/promises';
import { NativeConnection } from '@temporalio/worker';
import type { WorkerOptions } from '@temporalio/worker';
import { WORKER_OPTIONS } from '../../src/workers/worker/worker-options.js';
import { setting } from '../setting.js';
import * as activities from './activities.js';

/** What the hand-written side's workers are made with. */
export async function byHandSetup(): Promise<WorkerOptions & { connection: NativeConnection }> {
  return {
    ...WORKER_OPTIONS,
    buildId: 'by-hand-0123456789ab',
    connection: await NativeConnection.connect({ address: setting('BENCH_ADDRESS') }),
    namespace: 'default',
    taskQueue: setting('BENCH_TASK_QUEUE'),
    workflowBundle: { code: await readFile(setting('BENCH_BUNDLE'), 'utf8') },
    activities,
  };
}
