import type { FlashCall } from '../../activities/contract.js';
import type { Failure } from '../../plan/failure.js';
import type { Spend } from '../../plan/budget/spend.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import type { PaidBefore } from '../../plan/budget/paid-before.js';
import type { CarriedTries, Short } from '../../plan/schedule/carried.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { Step } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Scope } from '../state/context.js';
import { pathOf } from '../state/context.js';

/** The tries of a step so far. */
export interface Tries {
  count: number;
  spent: Spend;
  last: StepEnd | null;
  /** The last one was refused because what was reserved did not do. */
  short: Short | null;
  /** What the current one had cost whenever it was refused so; it is in `spent`. */
  paid: PaidBefore | null;
  /** Nothing was done yet, and what its first try needs is waited for. */
  waitsToBegin: boolean;
  /** What the next try does with a device. */
  flash: Pick<FlashCall, 'image' | 'act'>;
  /** Hash of what a person was shown who allowed the call of a tool. */
  allowed: Hash | null;
  /** Nobody has looked at the call: it is judged where it is made. */
  unjudged: boolean;
}

/** The tries of a step that starts, or goes on after its run continued as new; `carried` is null where it starts. */
export function openTries(scope: Scope, step: Step): Tries & { carried: CarriedTries | null } {
  const carried = scope.context.tried.get(pathOf(scope, step)) ?? null;
  const {
    count = 0,
    spent = NO_SPEND,
    failure = null,
    image = null,
    allowed = null,
    short = null,
    paid = null,
  } = carried ?? {};
  return {
    count,
    spent,
    last: failure === null ? null : failed(failure),
    short,
    paid,
    waitsToBegin: false,
    flash: { image, act: 'write' },
    allowed,
    unjudged: false,
    carried,
  };
}

/**
 * Keeps what is known of a step that has not ended, for the case that its run continues as new meanwhile (I12): it must
 * neither begin anew nor ask again what was answered. `again`: another try is due, and nobody is to be asked first.
 */
export function keepTries(
  scope: Scope,
  step: Step,
  { count, spent, last, flash, allowed, short, paid }: Tries,
  again: boolean,
): void {
  const failure = last !== null && 'failure' in last ? last.failure : null;
  scope.context.tried.set(pathOf(scope, step), {
    count,
    spent,
    failure,
    ...(flash.image === null ? {} : { image: flash.image }),
    ...(allowed === null ? {} : { allowed }),
    ...(again ? { again } : {}),
    ...(short === null ? {} : { short }),
    ...(paid === null ? {} : { paid }),
  });
}

export function failed(failure: Failure): StepEnd {
  return { status: failure.type === 'timeout' ? 'timeout' : 'error', failure };
}
