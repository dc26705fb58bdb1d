/** Limits as the definition sets them; a limit that is not set is null (a default applies where nobody sets one). */
export type Budgets = Record<Limit, number | null>;
export const LIMITS = ['max_steps', 'max_parallel', 'max_runtime_mins', 'max_cost_usd', 'max_tokens'] as const;
export type Limit = (typeof LIMITS)[number];

/** Of what is said in minutes: a year. */
export const MOST_MINUTES = 525_600;

export const NO_BUDGETS: Budgets = {
  max_steps: null,
  max_parallel: null,
  max_runtime_mins: null,
  max_cost_usd: null,
  max_tokens: null,
};

/** What a workflow file gets where neither flag, definition nor `perdure.yml` sets a limit. */
export const DEFAULT_BUDGETS: Budgets = {
  max_steps: 100,
  max_parallel: 10,
  max_runtime_mins: 30,
  max_cost_usd: null,
  max_tokens: null,
};
