import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assemble } from '../../../src/cli/observe/assemble.js';
import type { StepView } from '../../../src/cli/observe/view/view.js';
import { everyStepView } from '../../../src/cli/observe/view/view.js';
import type { Step } from '../../../src/plan/step.js';
import { echo, foreach, literal, many, wait, waitUntil, whole } from '../../plan/helpers/build-blocks.js';
import { after, plan } from '../../plan/helpers/build-plan.js';
import { foldOf, outcomeOf } from '../helpers/ended.js';
import type { Harness, RunHandle } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

const FOR_MS = 1_000;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

/** The steps of an ended run as a viewer had them after each event of its history. */
async function views(handle: RunHandle): Promise<Record<string, StepView>[]> {
  await outcomeOf(handle);
  const seen: Record<string, StepView>[] = [];
  await foldOf(handle, (fold) => {
    const all = everyStepView(assemble(fold, { folds: new Map(), pending: new Map() }).steps);
    seen.push(Object.fromEntries(all.map((view) => [view.path, structuredClone(view)])));
  });
  return seen;
}

/** The statuses that a step has had, one after another. */
function statuses(seen: Record<string, StepView>[], path: string): (string | undefined)[] {
  return seen.map((view) => view[path]?.status).filter((status, index, all) => status !== all[index - 1]);
}

describe('a step that lets time pass', () => {
  it('runs while it does, in an item too, and is done when it has', async () => {
    const inner: Step[] = [wait(0, FOR_MS, { id: 'w' }), echo(1, literal('done'), { needs: after(0) })];
    const each = foreach(0, { kind: 'literal', value: ['a', 'b'] }, many(inner), { id: 'all' });
    const seen = await views(await harness.start(plan([each, wait(1, FOR_MS, { id: 'w' })])));
    for (const path of ['w', 'all/0/w', 'all/1/w']) expect(statuses(seen, path)).toEqual(['running', 'success']);
    expect(seen.at(-2)?.['w']?.result?.duration_ms).toBeGreaterThanOrEqual(FOR_MS);
  });

  it('is cut off by its deadline, and says so', async () => {
    const seen = await views(await harness.start(plan([wait(0, 60_000, { id: 'w', deadline_ms: FOR_MS })])));
    expect(statuses(seen, 'w')).toEqual(['running', 'timeout']);
    expect(seen.at(-2)?.['w']?.result?.error).toContain('within its deadline of 1 s');
  });

  it.each(['2026-02-30T09:00:00Z', '2027-02-29T09:00:00+01:00', '2026-04-31T09:00', '9999-12-31T00:00:00Z'])(
    'fails where it is to wait until %s, which no clock or no timer comes to',
    async (text) => {
      const handle = await harness.start(plan([waitUntil(0, whole('input:until'), { id: 'w' })]), {
        input: { until: text },
      });
      const { w } = await harness.results(await outcomeOf(handle));
      expect(w).toMatchObject({ status: 'error', failure: 'value-invalid' });
    },
  );

  it('goes on at once where the moment has passed', async () => {
    const handle = await harness.start(plan([waitUntil(0, literal('2024-02-29T23:59:59+02:00'), { id: 'w' })]));
    expect((await harness.results(await outcomeOf(handle)))['w']?.status).toBe('success');
  });
});
