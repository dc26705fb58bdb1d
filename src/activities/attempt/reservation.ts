import { ApplicationFailure } from '@temporalio/common';
import { toNanoUsd } from '../../plan/budget/amounts.js';
import type { FailureType } from '../../plan/failure.js';

interface Needs {
  /** US dollars. */
  usd: number;
  tokens: number;
}

/**
 * A call was not made, or stopped, because it needs more than was reserved for it: the interpreter reserves that, and
 * calls again (I8).
 */
export function budgetShort(message: string, needs: Needs): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'budget-short' satisfies FailureType,
    nonRetryable: true,
    message,
    details: [needs],
  });
}

/**
 * Throws `budget-short` for a call that may use more than was reserved; what has no limit is never short. Dollars are
 * compared as the ledger counts them: the last digit of a sum of them would be short of its own reservation, for ever.
 */
export function refuseIfShort(needs: Needs, most: { usd?: number | null; tokens?: number | null } | undefined): void {
  const isShort = toNanoUsd(needs.usd) > toNanoUsd(most?.usd ?? Infinity) || needs.tokens > (most?.tokens ?? Infinity);
  if (!isShort) return;
  throw budgetShort(
    `This call may use $${needs.usd.toFixed(2)} and ${needs.tokens} tokens, more than was reserved for it.`,
    needs,
  );
}
