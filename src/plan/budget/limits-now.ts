import type { Limited } from './amounts.js';
import { toUsd } from './amounts.js';
import type { Budgets } from './budgets.js';
import type { Clock } from './run-clock.js';

/**
 * The limits of a root run with what people have added to them: its ledger and its clock know that, also in the next
 * link of a chain. What has no limit has none now.
 */
export function limitsNow(
  budget: Budgets,
  { ledger: { cap }, clock }: { ledger: { cap: Limited }; clock: Pick<Clock, 'limit_ms'> | null },
): Budgets {
  const raised = (before: number | null, now: number | null): number | null =>
    before === null || now === null ? before : Math.max(before, now);
  return {
    ...budget,
    max_steps: raised(budget.max_steps, cap.steps),
    max_cost_usd: raised(budget.max_cost_usd, cap.nanousd === null ? null : toUsd(cap.nanousd)),
    max_tokens: raised(budget.max_tokens, cap.tokens),
    max_runtime_mins: raised(budget.max_runtime_mins, clock === null ? null : clock.limit_ms / 60_000),
  };
}
