// @seconds 10
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Worker, bundleWorkflowCode } from '@temporalio/worker';
import { afterAll, describe, expect, it } from 'vitest';
import { InterpreterWorker } from '../../../src/workers/workflow-thread/interpreter-worker.js';
import type { ChainedActivities, Link, chained } from '../helpers/chained.js';
import { harnessOfFile } from '../helpers/harness.js';

const { client, address } = await harnessOfFile();
const connection = await NativeConnection.connect({ address });
afterAll(() => connection.close());
const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const workflowBundle = await bundleWorkflowCode({
  workflowsPath: fileOf('../helpers/chained.ts'),
  workflowInterceptorModules: [fileOf('../../../src/workflows/determinism/ordered-results.ts')],
  logger: new DefaultLogger('ERROR'),
});
const activities: ChainedActivities = {
  quick: (ms) => pause(ms),
  slow: () => Promise.resolve(),
};

const CHAINS: [Link, number][] = [
  ['condition', 1],
  ['condition', 10],
  ['condition', 40],
  ['settled', 1],
  ['settled', 10],
];

describe('what follows from a quick step', () => {
  it.each(CHAINS)('is done before the next result is told, through links of `%s`: %d', async (link, length) => {
    const taskQueue = `${link}-${length}`;
    const worker = await InterpreterWorker.create({ connection, taskQueue, workflowBundle, activities });
    const handle = await worker.runUntil(async () => {
      const started = await client.workflow.start<typeof chained>('chained', {
        taskQueue,
        workflowId: taskQueue,
        args: [link, length],
      });
      await started.result();
      return started;
    });
    const history = await handle.fetchHistory();
    await expect(Worker.runReplayHistory({ workflowBundle }, history, taskQueue)).resolves.toBeUndefined();
  });
});
