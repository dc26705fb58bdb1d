import { readFile } from 'node:fs/promises';
import { NativeConnection, Worker } from '@temporalio/worker';
import { WORKER_OPTIONS } from '../../src/workers/worker-options.js';
import { quietRuntime, serve } from '../serve.js';
import { setting } from '../setting.js';
import * as activities from './activities.js';
import { limitStackTraces } from './stack-traces.js';

quietRuntime();
limitStackTraces();
const connection = await NativeConnection.connect({ address: setting('BENCH_ADDRESS') });
const worker = await Worker.create({
  ...WORKER_OPTIONS,
  buildId: 'by-hand-0123456789ab',
  connection,
  namespace: 'default',
  taskQueue: setting('BENCH_TASK_QUEUE'),
  workflowBundle: { code: await readFile(setting('BENCH_BUNDLE'), 'utf8') },
  activities,
});
await serve(worker, connection);
