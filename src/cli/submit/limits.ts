import type { Budgets, Limit } from '../../plan/plan.js';
import { DEFAULT_BUDGETS, LIMITS, NO_BUDGETS } from '../../plan/plan.js';
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
  if (value > 0 && Number.isSafeInteger(whole ? value : Math.ceil(value))) return value;
  throw usageError(`Expected \`--${flagOf(limit)}\` to be a positive ${whole ? 'whole number' : 'number'}, got \`${typed}\`.`);
}

/** Limits as somebody set them; the others are left out or null. */
type SomeLimits = { [limit in Limit]?: number | null | undefined };

/** The limits in force: of those that are set the smallest, and a default only where none is set. */
export function settleLimits(...set: (SomeLimits | undefined)[]): Budgets {
  const budgets = { ...NO_BUDGETS };
  for (const limit of LIMITS) {
    const values = set.flatMap((budget) => budget?.[limit] ?? []);
    budgets[limit] = values.length === 0 ? DEFAULT_BUDGETS[limit] : Math.min(...values);
  }
  return budgets;
}

/** What the interpreter keeps today; the other limits are recorded and shown. */
const ENFORCED: readonly Limit[] = ['max_parallel'];

/** A sentence for those who set a limit that nothing holds yet; null when all that is set is kept. */
export function unenforcedNote(...set: (SomeLimits | undefined)[]): string | null {
  const named = LIMITS.filter((limit) => !ENFORCED.includes(limit) && set.some((budget) => (budget?.[limit] ?? null) !== null));
  return named.length === 0 ? null : `Note: ${named.map((limit) => `\`${limit}\``).join(', ')} ${named.length === 1 ? 'is' : 'are'} shown, but this version does not stop a run at ${named.length === 1 ? 'it' : 'them'}.`;
}
