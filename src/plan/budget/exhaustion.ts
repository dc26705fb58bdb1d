import type { Resource } from './amounts.js';
import type { Limit } from './budgets.js';

/** What a run does when a limit is used up. `degrade` goes on with another model, until that is too dear as well. */
export type OnExhausted = 'pause' | 'stop' | 'error' | 'timeout' | { degrade: string };

/** Limits that can be used up; at `max_parallel` steps only wait. */
export type ExhaustibleLimit = Exclude<Limit, 'max_parallel'>;
export type ExhaustionPolicy = Partial<Record<ExhaustibleLimit, OnExhausted>>;

/** What happens where nobody chose otherwise. */
const DEFAULTS: Record<ExhaustibleLimit, Exclude<OnExhausted, object>> = {
  max_steps: 'error',
  max_runtime_mins: 'timeout',
  max_cost_usd: 'pause',
  max_tokens: 'stop',
};

/** The limit that each resource of the ledger is counted against. */
export const LIMIT_OF: Record<Exclude<Resource, 'slots'>, ExhaustibleLimit> = {
  steps: 'max_steps',
  nanousd: 'max_cost_usd',
  tokens: 'max_tokens',
};

/** What to do when a limit is used up; `again` when a cheaper model was tried already. */
export function actionAt(limit: ExhaustibleLimit, policy: ExhaustionPolicy, again: boolean): OnExhausted {
  const chosen = policy[limit] ?? DEFAULTS[limit];
  return typeof chosen === 'object' && again ? DEFAULTS[limit] : chosen;
}

/** The models that a policy may turn to. */
export function modelsIn(policy: ExhaustionPolicy): string[] {
  return Object.values(policy).flatMap((action) => (typeof action === 'object' ? [action.degrade] : []));
}
