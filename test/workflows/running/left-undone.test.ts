// @seconds 10
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assemble } from '../../../src/cli/observe/assemble.js';
import { everyStepView } from '../../../src/cli/observe/view/view.js';
import type { RoundResult } from '../../../src/plan/result.js';
import type { Step } from '../../../src/plan/step.js';
import { echo, foreach, literal, loop, many, single } from '../../plan/helpers/build-blocks.js';
import { after, plan } from '../../plan/helpers/build-plan.js';
import { foldOf, outcomeOf } from '../helpers/ended.js';
import type { Harness, RunHandle } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const twoSteps = () => many([echo(0, literal('one')), echo(1, literal('two'), { needs: after(0) })]);
const each = (items: string[], body = twoSteps()): Step =>
  foreach(0, { kind: 'literal', value: items }, body, { id: 'all', max_parallel: 1 });

/** What history alone tells of the steps of a run that has ended. */
async function foldedSteps(handle: RunHandle): Promise<Record<string, string>> {
  const fold = await foldOf(handle);
  const views = everyStepView(assemble(fold, { folds: new Map(), pending: new Map() }).steps);
  return Object.fromEntries(views.map(({ path, status }) => [path, status]));
}

/** A step of a run that may do three steps, as it ended; and its items or rounds. */
async function limited(step: Step) {
  const handle = await harness.start(plan([step]), { lease: { steps: 3 } });
  const outcome = await outcomeOf(handle);
  const ended = (await harness.results(outcome))['all'];
  const pages = await Promise.all((ended?.pages ?? []).map((page) => harness.json(page)));
  const rounds = (pages.flat() as unknown as RoundResult[]).sort((a, b) => a.index - b.index);
  return { outcome, ended, rounds, steps: await foldedSteps(handle) };
}

describe('what a run has left undone because it was stopped', () => {
  it('is an item of which only a part was done, and counts as none that was done', async () => {
    const { outcome, ended, rounds } = await limited(each(['a', 'b', 'c']));
    expect(outcome.status).not.toBe('success');
    expect(rounds.map(({ status }) => status)).toEqual(['success', 'skipped', 'skipped']);
    expect(rounds[1]?.error).toContain('max_steps');
    expect(ended?.note).toBe('1 of 3 items, 2 skipped');
  });

  it('is an item of which an inner foreach was left, in part', async () => {
    const { rounds } = await limited(each(['a', 'b'], single(each(['c', 'd'], single(echo(0, literal('one')))))));
    expect(rounds.map(({ status, error }) => [status, error])).toEqual([
      ['success', null],
      ['skipped', '1 of 2 items, 1 skipped'],
    ]);
  });

  it('is a loop in whose round it was stopped: it has not missed its condition, and no round follows', async () => {
    const never = { kind: 'literal', value: false } as const;
    const { ended, rounds, steps } = await limited(loop(0, never, twoSteps(), { id: 'all', max: 50 }));
    expect(rounds.map(({ status }) => status)).toEqual(['success', 'skipped']);
    expect(ended).toMatchObject({ status: 'skipped', error: expect.stringContaining('max_steps') as string });
    expect(steps['all']).toBe('skipped');
  });
});
