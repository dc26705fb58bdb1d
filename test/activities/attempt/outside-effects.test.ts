import { expect, it } from 'vitest';
import { outsideEffects } from '../../../src/activities/attempt/outside-effects.js';
import type { Step } from '../../../src/plan/step.js';
import { script } from '../../plan/helpers/build-blocks.js';
import { plan } from '../../plan/helpers/build-plan.js';
import { createBench, inFull } from '../helpers/harness.js';

it('an effect that may have happened in one try is known whatever the next ones come to', async () => {
  const bench = await createBench();
  /** A try of a step; `run` is the try of the nested run that it is in. */
  const tries = async (
    path: string,
    text: string,
    effect: Step['effect'],
    { run = 1, tried = 1 } = {},
  ): Promise<void> => {
    const made = plan([script(0, text, [], { effect, timeout_ms: 500 })]);
    await bench.store.putPlan(made);
    const call = {
      root: { run: 'r', first: `first${run === 1 ? '' : ` k ${run}`}`, plan: made.hash },
      nested: null,
      step: 0,
      path,
      try: tried,
      environment: {},
      workspace: bench.folder,
    };
    await inFull(bench, (short) => bench.activities.runCommand(short), call).catch(() => undefined);
  };
  await tries('k/late', 'sleep 600', 'external');
  await tries('k/late', 'exit 1', 'external', { run: 2 });
  await tries('again', 'sleep 600', 'external');
  await tries('again', 'exit 1', 'external', { tried: 2 });
  await tries('failed', 'exit 1', 'external');
  await tries('done', 'true', 'external');
  await tries('inside', 'true', 'workspace');
  expect((await outsideEffects(bench.store, 'first')).sort()).toEqual(['again', 'done', 'k/late']);
});
