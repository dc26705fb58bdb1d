import { ApplicationFailure, CancellationScope } from '@temporalio/workflow';
import type { PaidBefore } from '../../plan/budget/paid-before.js';
import { notTold } from '../../plan/budget/paid-before.js';
import type { Spend } from '../../plan/budget/spend.js';
import { quick } from '../activities.js';
import { isLost, isUntold, spendIn, toldSpend } from '../failures.js';
import type { RunContext } from '../state/context.js';

/** What a try or a turn has spent that came to nothing, and whether that is all. */
export interface Told {
  spend: Spend;
  isTold: boolean;
}

/** A call as the journal knows it: `part` tells it apart at its path. */
export interface PaidCall {
  path: string;
  part: (string | number)[];
  /** What of its cost was told before. */
  paid: PaidBefore | null;
}

/** What a failure says itself. One that no activity reports is of a call that was not made. */
export function toldBy(error: unknown): Told {
  return { spend: spendIn(error), isTold: toldSpend(error) !== null || error instanceof ApplicationFailure };
}

/**
 * What a call has cost that Temporal ended between two attempts, or whose worker was lost: its earlier attempts stand
 * in the journal, and nobody else tells. Null where the failure says all there is. What an attempt did that was lost
 * with its worker, nobody knows.
 */
export function untoldSpend(
  { settings, root }: RunContext,
  error: unknown,
  { path, part, paid }: PaidCall,
): Promise<Told> | null {
  if (settings.finds_spend !== true || !isUntold(error)) return null;
  return CancellationScope.nonCancellable(() => quick.spentBelow({ root: { first: root.first }, path, part })).then(
    ({ usd, tokens }) => {
      const spend = { ...notTold({ usd, tokens, steps: 0 }, usd ?? 0, paid), steps: 1 };
      return { spend, isTold: !isLost(error) && (spend.tokens > 0 || spend.usd !== 0) };
    },
    // A journal that cannot be read keeps no run from its end: the call counts as it was reserved.
    () => toldBy(error),
  );
}
