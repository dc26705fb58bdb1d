// @seconds 10
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime, bundleWorkflowCode } from '@temporalio/worker';
import type { Worker } from '@temporalio/worker';
import { afterAll, describe, expect, it } from 'vitest';
import { InterpreterWorker } from '../../../src/workers/workflow-thread/interpreter-worker.js';
import type * as workflows from '../../workflows/helpers/hand-written.js';
import { startTemporal } from '../../workflows/helpers/temporal-server.js';

const logged: string[] = [];
Runtime.install({ logger: new DefaultLogger('WARN', ({ level, message }) => logged.push(`${level} ${message}`)) });
const temporal = await startTemporal();
afterAll(() => temporal.close());
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../../workflows/helpers/hand-written.ts', import.meta.url)),
  logger: new DefaultLogger('ERROR'),
});

/** A worker of these workflows; of its thread an answer is expected within `limit`. */
function workerOf(taskQueue: string, limit: '2s' | '30s'): Promise<Worker> {
  const undeclared = { isolateExecutionTimeout: limit };
  return InterpreterWorker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle: { code },
    ...undeclared,
  });
}

describe('the thread that runs workflow code', () => {
  it('keeps runs apart that take turns in it, their globals too', async () => {
    const worker = await workerOf('turns', '30s');
    const ids = Array.from({ length: 20 }, (_, run) => `turn-${run}`);
    const said = await worker.runUntil(
      Promise.all(
        ids.map((workflowId) =>
          temporal.client.workflow.execute<typeof workflows.names>('names', {
            taskQueue: 'turns',
            workflowId,
            args: [5],
          }),
        ),
      ),
    );
    expect(said).toEqual(ids.map((id) => Array.from({ length: 5 }, () => [id, id])));
  });

  it('passes on what a workflow logs, in whichever of its tasks', async () => {
    const worker = await workerOf('logs', '30s');
    await worker.runUntil(
      temporal.client.workflow.execute<typeof workflows.logs>('logs', {
        taskQueue: 'logs',
        workflowId: 'logs',
        args: ['a word'],
      }),
    );
    expect(logged.filter((line) => line.includes('a word'))).toEqual(['WARN a word']);
  });

  it('is ended with its worker when workflow code hangs, and the process goes on', async () => {
    const worker = await workerOf('hangs', '2s');
    const ended = expect(worker.run()).rejects.toThrow('Workflow Worker Thread exited');
    const handle = await temporal.client.workflow.start<typeof workflows.hang>('hang', {
      taskQueue: 'hangs',
      workflowId: 'hangs',
    });
    await ended;
    expect(logged).toContain('ERROR The thread that runs workflow code has not answered for 2 s: the worker ends.');
    await handle.terminate();
  });
});
