import type { Binding } from '../references/environment.js';
import type { CarriedBlock, CarriedScope } from './carried.js';
import type { ForeachStep, Step } from '../step.js';
import { everyStep } from '../step.js';
import type { Hash } from '../values/value.js';

/** A foreach over nested runs that is longer than this goes through batch runs of so many items each (I12). */
export const BATCH_ITEMS = 200;

/**
 * A batch run does some items of a foreach in place of the run that started it, which would else have every nested
 * run's events in its own history. It is that run's continuation, narrowed: the same steps under the same paths.
 */
export interface Batch {
  /** The nested body whose steps these are; null for the root's own. */
  nested: Hash | null;
  /** The scopes around the foreach, the run's own first; the last one holds it. */
  scopes: BatchScope[];
  /** Index of the foreach. */
  step: number;
}

/** A scope as a batch run is given it: what its steps can refer to. */
export interface BatchScope {
  carried: CarriedScope;
  /** Index, in the scope around it, of the step whose body it is; 0 for a run's own steps, as is `index`. */
  owner: number;
  /** Which item or round it is. */
  index: number;
  item: Binding | null;
  /** The round before, in a loop's body. */
  last: CarriedScope | null;
}

/**
 * Tells whether a foreach starts nested runs, and more of them than one run should. What goes on from a run that had
 * items open by itself keeps doing so: batches do not take over what has started.
 */
export function needsBatches(
  { body }: ForeachStep,
  count: number,
  carried: Pick<CarriedBlock, 'open'> | null = null,
): boolean {
  return count > BATCH_ITEMS && Object.keys(carried?.open ?? {}).length === 0 && [...everyStep(body)].some(isNesting);
}

function isNesting({ kind }: Step): boolean {
  return kind === 'workflow' || kind === 'plan';
}

/**
 * Workflow id of the run that does the items from `from` up to `end`, which is not among them: `<run>/<path>/0-199`.
 */
export function batchRun(foreach: string, from: number, end: number): string {
  return `${foreach}/${from}-${end - 1}`;
}

/** Tells whether a run is a batch of another: no id of a step and no number of an item looks so. */
export function isBatchRun(run: string): boolean {
  return /\/\d+-\d+$/.test(run);
}
