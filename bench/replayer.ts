import { readFile } from 'node:fs/promises';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { InterpreterWorker } from '../src/workers/workflow-thread/interpreter-worker.js';
import { limitStackTraces } from './by-hand/stack-traces.js';
import { milliseconds } from './measure.js';
import { quietRuntime } from './serve.js';
import { setting } from './setting.js';

// A process for each side: what a worker sets up in its thread, such as the SDK's promise hook, stays.
quietRuntime();
const isOurs = setting('BENCH_SIDE') === 'ours';
if (!isOurs) limitStackTraces();
const links = JSON.parse(await readFile(setting('BENCH_HISTORIES'), 'utf8')) as {
  workflowId: string;
  history: unknown;
}[]; // as `replay.ts` writes it
const histories = links.map(({ workflowId, history }) => ({ workflowId, history: historyFromJSON(history) }));

process.on('message', () => void milliseconds(replayAll).then((took) => process.send?.(took)));
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
process.send?.('ready');

async function replayAll(): Promise<void> {
  const side = isOurs ? InterpreterWorker : Worker;
  for await (const { error } of side.runReplayHistories(
    { workflowBundle: { codePath: setting('BENCH_BUNDLE') } },
    histories,
  )) {
    if (error !== undefined) throw error;
  }
}
