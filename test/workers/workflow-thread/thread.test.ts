import { fileURLToPath } from 'node:url';
import type { Payload } from '@temporalio/common';
import { visit, walkActivityTask } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { LoggerWithComposedMetadata } from '@temporalio/common/lib/logger.js';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, bundleWorkflowCode } from '@temporalio/worker';
import type { Worker } from '@temporalio/worker';
import { afterAll, describe, expect, it } from 'vitest';
import { InterpreterWorker } from '../../../src/workers/workflow-thread/interpreter-worker.js';
import { findTemporal } from '../../../src/workers/temporal-binary/find.js';
import type * as workflows from '../../workflows/helpers/hand-written.js';

const logged: string[] = [];
Runtime.install({ logger: new DefaultLogger('WARN', ({ level, message }) => logged.push(`${level} ${message}`)) });
const { path } = await findTemporal();
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'existing-path', path }, log: { level: 'error', format: 'pretty' } },
});
afterAll(() => environment.teardown());
const quiet = new DefaultLogger('ERROR');
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../../workflows/helpers/hand-written.ts', import.meta.url)),
  logger: quiet,
});

/** A worker of these workflows; of its thread an answer is expected within `limit`. */
function workerOf(taskQueue: string, limit: '2s' | '30s'): Promise<Worker> {
  const undeclared = { isolateExecutionTimeout: limit };
  return InterpreterWorker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowBundle: { code },
    ...undeclared,
  });
}

describe('the thread that runs workflow code', () => {
  it('keeps runs apart that take turns in it', async () => {
    const worker = await workerOf('turns', '30s');
    const ids = Array.from({ length: 20 }, (_, run) => `turn-${run}`);
    const said = await worker.runUntil(
      Promise.all(
        ids.map((workflowId) =>
          environment.client.workflow.execute<typeof workflows.names>('names', {
            taskQueue: 'turns',
            workflowId,
            args: [5],
          }),
        ),
      ),
    );
    expect(said).toEqual(ids.map((id) => [id, id, id, id, id]));
  });

  it('passes on what a workflow logs, in whichever of its tasks', async () => {
    const worker = await workerOf('logs', '30s');
    await worker.runUntil(
      environment.client.workflow.execute<typeof workflows.logs>('logs', {
        taskQueue: 'logs',
        workflowId: 'logs',
        args: ['a word'],
      }),
    );
    expect(logged.filter((line) => line.includes('a word'))).toEqual(['WARN a word']);
  });

  it('is not made for a worker with codecs, to which no payload would be shown', async () => {
    const codec = {
      encode: (payloads: Payload[]) => Promise.resolve(payloads),
      decode: (payloads: Payload[]) => Promise.resolve(payloads),
    };
    const made = InterpreterWorker.create({
      connection: environment.nativeConnection,
      taskQueue: 'codecs',
      workflowBundle: { code },
      dataConverter: { payloadCodecs: [codec] },
    });
    await expect(made).rejects.toThrow('Expected a worker without payload codecs and external storage');
  });

  it('comes with a worker that shows no payload to codecs, and collects nothing for a log that nobody reads', async () => {
    await (await workerOf('unused', '30s')).runUntil(Promise.resolve());
    let shown = 0;
    let collected = 0;
    const show = <T>(payload: T): Promise<T> => Promise.resolve(((shown += 1), payload));
    // all that a walk looks at
    const task = { start: { input: [{ data: new Uint8Array(1) }] } } as Parameters<typeof walkActivityTask>[0];
    await visit(task, walkActivityTask, {
      transformPayload: show,
      transformPayloads: show,
      initialContext: null,
      deriveContext: (_message, _type, context) => context,
    });
    LoggerWithComposedMetadata.compose(quiet, () => ({ collected: (collected += 1) })).trace('a word');
    expect({ shown, collected }).toEqual({ shown: 0, collected: 0 });
  });

  it('is ended with its worker when workflow code hangs, and the process goes on', async () => {
    const worker = await workerOf('hangs', '2s');
    const running = worker.run();
    const handle = await environment.client.workflow.start<typeof workflows.hang>('hang', {
      taskQueue: 'hangs',
      workflowId: 'hangs',
    });
    await expect(running).rejects.toThrow('Workflow Worker Thread exited');
    expect(logged).toContain('ERROR The thread that runs workflow code has not answered for 2 s: the worker ends.');
    await handle.terminate();
  });
});
