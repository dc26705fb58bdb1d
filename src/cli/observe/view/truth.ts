import { joinPath, segmentOf } from '../../../plan/plan.js';
import type { RoundResult, StepResult } from '../../../plan/result.js';
import type { Carried } from '../../../plan/run-input.js';
import type { Block, BlockStep, Step } from '../../../plan/step.js';
import { isBlockStep } from '../../../plan/step.js';
import type { Value } from '../../../plan/values/value.js';
import { readPages } from '../../../store/values/read-pages.js';
import type { Store } from '../../../store/store.js';

/**
 * What the interpreter itself wrote of the steps of a run, those of items and rounds included, by path below the root.
 */
export interface Truth {
  steps: Map<string, StepResult>;
  /** Items of a foreach and rounds of a loop, in order. */
  rounds: Map<string, RoundResult[]>;
}

export function noTruth(): Truth {
  return { steps: new Map(), rounds: new Map() };
}

/** Reads all that the pages of a run hold. Throws what the store throws when one is missing. */
export async function readTruth(store: Store, block: Block, path: string, pages: Value[]): Promise<Truth> {
  const truth = noTruth();
  await readScope({ store, truth }, block, { path, single: false, results: await readPages<StepResult>(store, pages) });
  return truth;
}

/**
 * Reads what a run had written before it continued as new: of steps that had ended, and of the items and rounds of
 * those that go on.
 */
export async function readCarried(
  store: Store,
  block: Block,
  { path, carried, stepAt }: { path: string; carried: Carried; stepAt: (path: string) => Step | null },
): Promise<Truth> {
  const truth = await readTruth(store, block, path, carried.pages);
  const into = { store, truth };
  for (const [here, { pages, open }] of Object.entries(carried.blocks ?? {})) {
    const step = stepAt(here);
    if (step === null || !isBlockStep(step)) continue;
    await readRounds(into, { step, here, pages });
    for (const [index, { pages: ended }] of Object.entries(open)) {
      await readScope(into, step.body, {
        path: joinPath(here, index),
        single: step.body.single,
        results: await readPages<StepResult>(store, ended),
      });
    }
  }
  return truth;
}

interface ScopeResults {
  path: string;
  single: boolean;
  results: StepResult[];
}

async function readScope(
  into: { store: Store; truth: Truth },
  block: Block,
  { path, single, results }: ScopeResults,
): Promise<void> {
  for (const result of results) {
    const step = block.steps[result.step_index];
    if (step === undefined) continue;
    const here = single ? path : joinPath(path, segmentOf(step));
    into.truth.steps.set(here, result);
    if (isBlockStep(step)) await readRounds(into, { step, here, pages: result.pages });
  }
}

async function readRounds(
  into: { store: Store; truth: Truth },
  { step, here, pages }: { step: BlockStep; here: string; pages: Value[] },
): Promise<void> {
  const rounds = await readPages<RoundResult>(into.store, pages);
  rounds.sort((a, b) => a.index - b.index);
  into.truth.rounds.set(here, rounds);
  for (const round of rounds) {
    const below = [...(await readPages<StepResult>(into.store, round.pages)), ...round.steps];
    await readScope(into, step.body, {
      path: joinPath(here, String(round.index)),
      single: step.body.single,
      results: below,
    });
  }
}
