import { NativeConnection } from '@temporalio/worker';
import { openStore } from '../src/store/local-store.js';
import { createWorker } from '../src/workers/run-worker.js';
import { quietRuntime, serve } from './serve.js';
import { setting } from './setting.js';

quietRuntime();
const connection = await NativeConnection.connect({ address: setting('BENCH_ADDRESS') });
const worker = await createWorker({
  connection,
  namespace: 'default',
  taskQueue: setting('BENCH_TASK_QUEUE'),
  store: await openStore(setting('BENCH_STATE')),
  credentials: () => ({ ANTHROPIC_API_KEY: process.env['ANTHROPIC_API_KEY'], ANTHROPIC_BASE_URL: process.env['ANTHROPIC_BASE_URL'] }),
});
await serve(worker, connection);
