import { afterAll, describe, expect, it } from 'vitest';
import { wait } from '../plan/build-blocks.js';
import { commandStep, plan } from '../plan/build-plan.js';
import { harnessOfFile } from './harness.js';

const traces: { prepareStackTrace?: ((error: Error, sites: NodeJS.CallSite[]) => unknown) | undefined } = Error;
const { prepareStackTrace: before } = traces;
traces.prepareStackTrace = (error) => `ours: ${error.message}`;
afterAll(() => {
  traces.prepareStackTrace = before;
});
const harness = await harnessOfFile();

/** Workflow code runs in the thread of the worker, without the SDK's promise hook. */
describe('a worker of ours', () => {
  it('keeps no traces of where a workflow stands, and says so when it is asked', async () => {
    const handle = await harness.start(plan([wait(0, 3_600_000)]));
    await expect(handle.query('__stack_trace')).rejects.toThrow('stack traces are not enabled');
    await handle.terminate();
  });

  it('tells of a workflow’s failure where in our source it came from, and leaves the traces of its own errors as they were', async () => {
    const handle = await harness.start(plan([commandStep(0, ['false'])]));
    const failure: unknown = await handle.result().catch((error: unknown) => error);
    expect(failure).toMatchObject({ cause: { stack: expect.stringMatching(/src\/workflows\/\w+\.ts:\d+:\d+/) as unknown } });
    expect(new RangeError('out of it').stack).toBe('ours: out of it');
  });
});
