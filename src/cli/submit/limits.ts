import type { PlanBody } from '../../plan/plan.js';
import type { Budgets, Limit } from '../../plan/budget/budgets.js';
import { DEFAULT_BUDGETS, LIMITS, MOST_MINUTES, NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { ExhaustionPolicy } from '../../plan/budget/exhaustion.js';
import type { Quota } from '../../plan/budget/quota.js';
import { usageError } from '../exit-codes.js';

/** `max_cost_usd` as it is typed: `max-cost-usd`. */
export function flagOf(limit: Limit): string {
  return limit.replace(/_/g, '-');
}

/** Limits as they were typed; those that were not are null. Throws a usage error for what is no positive number. */
export function parseLimits(text: (flag: string) => string | null): Budgets {
  const budgets = { ...NO_BUDGETS };
  for (const limit of LIMITS) {
    const typed = text(flagOf(limit));
    if (typed !== null) budgets[limit] = parseLimit(limit, typed);
  }
  return budgets;
}

function parseLimit(limit: Limit, typed: string): number {
  const value = /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : Number.NaN;
  const whole = limit !== 'max_cost_usd' && limit !== 'max_runtime_mins';
  if (limit === 'max_runtime_mins' && value > MOST_MINUTES)
    throw usageError(`Expected \`--${flagOf(limit)}\` to be at most a year (${MOST_MINUTES}), got \`${typed}\`.`);
  if (value > 0 && Number.isSafeInteger(whole ? value : Math.ceil(value))) return value;
  throw usageError(
    `Expected \`--${flagOf(limit)}\` to be a positive ${whole ? 'whole number' : 'number'}, got \`${typed}\`.`,
  );
}

/** Limits as somebody set them; the others are left out or null. */
type SomeLimits = { [limit in Limit]?: number | null | undefined };

/**
 * The limits in force: of those that are set the smallest, and a default only where none is set and the Plan takes it.
 */
export function settleLimits(
  { no_default = [] }: Pick<PlanBody, 'no_default'>,
  ...set: (SomeLimits | undefined)[]
): Budgets {
  const budgets = { ...NO_BUDGETS };
  for (const limit of LIMITS) {
    const values = set.flatMap((budget) => budget?.[limit] ?? []);
    budgets[limit] =
      values.length > 0 ? Math.min(...values) : no_default.includes(limit) ? null : DEFAULT_BUDGETS[limit];
  }
  return budgets;
}

/** No run costs more than its day may: by that each call is bounded before it is made. */
export function limitsOfQuota(quota: Quota | null): SomeLimits {
  const most = [quota?.usd, quota?.user_usd].flatMap((usd) => usd ?? []);
  return most.length === 0 ? {} : { max_cost_usd: Math.min(...most) };
}

/** What happens at each limit: the first that chose, chose. */
export function settlePolicy(...chosen: (SomePolicy | undefined)[]): ExhaustionPolicy {
  const entries = [...chosen].reverse().flatMap((policy) => Object.entries(policy ?? {}));
  return Object.fromEntries(entries.filter(([, action]) => action !== undefined));
}

type SomePolicy = { [limit in keyof ExhaustionPolicy]?: ExhaustionPolicy[limit] | undefined };
