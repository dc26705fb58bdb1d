import { NONE, toNanoUsd } from '../../plan/budget/amounts.js';
import type { FailureType } from '../../plan/failure.js';
import { settle } from '../../plan/budget/ledger.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { BudgetAccount } from '../state/account.js';
import type { RunContext } from '../state/context.js';
import { proceed } from './account.js';
import type { Reservation } from './reserve.js';

/** What ended so has done nothing, or says what it had cost by then. */
const REFUSED: ReadonlySet<FailureType> = new Set(['budget-short', 'quota-used', 'leave-changed']);

/** Of what ended so nobody knows what it had cost by then: it counts as it was reserved (I8). */
const UNCERTAIN: ReadonlySet<FailureType> = new Set(['timeout', 'cancelled', 'worker-lost']);

/** Settles a turn by how the try ended. `isTold`: whoever did it said what it has cost. */
export function settleReservation({ account }: RunContext, turn: Reservation, end: StepEnd, isTold = false): void {
  if ('failure' in end && REFUSED.has(end.failure.type)) settleRefused(account, turn, end);
  else {
    const { usd, tokens } = turn.inParts ? NO_SPEND : (end.spend ?? NO_SPEND);
    const isUncertain = !isTold && 'failure' in end && UNCERTAIN.has(end.failure.type);
    const told = { nanousd: usd === null ? 0 : toNanoUsd(usd), tokens };
    const least = {
      nanousd: isUncertain || usd === null ? turn.need.nanousd : 0,
      tokens: isUncertain ? turn.need.tokens : 0,
    };
    const missing = {
      ...NONE,
      nanousd: Math.max(0, least.nanousd - told.nanousd),
      tokens: Math.max(0, least.tokens - told.tokens),
    };
    settle(
      account.ledger,
      turn.id,
      {
        steps: turn.need.steps,
        slots: 0,
        nanousd: told.nanousd + missing.nanousd,
        tokens: told.tokens + missing.tokens,
      },
      missing,
    );
  }
  proceed(account);
}

/** What was refused is as it was, but for what its question had cost before. */
function settleRefused({ ledger }: BudgetAccount, { id, need }: Reservation, { paid }: StepEnd): void {
  if (paid === undefined) return settle(ledger, id, NONE);
  const used = { ...NONE, nanousd: toNanoUsd(paid.counted), tokens: paid.tokens };
  settle(ledger, id, { ...used, steps: need.steps }, paid.usd === null ? { ...used, tokens: 0 } : NONE);
}
