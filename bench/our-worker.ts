import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { useLauncher } from '../src/activities/processes/groups/start-process.js';
import { openStore } from '../src/store/local-store.js';
import { openPostgresStore } from '../src/store/postgres/postgres-store.js';
import { packageRoot } from '../src/store/folders/package-root.js';
import { createWorker } from '../src/workers/worker/create-worker.js';
import { quietRuntime, serve } from './serve.js';
import { setting } from './setting.js';

quietRuntime();
const connection = await NativeConnection.connect({ address: setting('BENCH_ADDRESS') });
const { BENCH_STORE_URL: url } = process.env;
const state = setting('BENCH_STATE');
const store = await (url === undefined ? openStore(state) : openPostgresStore(url, `${state}-${process.pid}`));
const worker = await createWorker({
  connection,
  namespace: 'default',
  taskQueue: setting('BENCH_TASK_QUEUE'),
  store,
  credentials: () => ({
    ANTHROPIC_API_KEY: process.env['ANTHROPIC_API_KEY'],
    ANTHROPIC_BASE_URL: process.env['ANTHROPIC_BASE_URL'],
  }),
});
// As `startWorker` does.
const leaveLauncher = useLauncher({
  program: join(packageRoot(), 'dist', 'activities', 'processes', 'launcher', 'main.js'),
  store: store.id,
});
await serve(worker, connection);
leaveLauncher();
await store.logsWritten();
