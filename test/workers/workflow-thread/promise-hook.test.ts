import { describe, expect, it } from 'vitest';
import { wait } from '../../plan/helpers/build-blocks.js';
import { commandStep, plan } from '../../plan/helpers/build-plan.js';
import { harnessOfFile } from '../../workflows/helpers/harness.js';

const harness = await harnessOfFile();

describe('a worker without the SDK’s promise hook', () => {
  it('keeps no traces of where a workflow stands, and says so when it is asked', async () => {
    const handle = await harness.start(plan([wait(0, 3_600_000)]));
    await expect(handle.query('__stack_trace')).rejects.toThrow('stack traces are not enabled');
    await handle.terminate();
  });

  it('tells of a workflow’s failure where in our source it came from', async () => {
    const handle = await harness.start(plan([commandStep(0, ['false'])]));
    const failure: unknown = await handle.result().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      cause: { stack: expect.stringMatching(/src\/workflows\/\w+\.ts:\d+:\d+/) as unknown },
    });
  });
});
