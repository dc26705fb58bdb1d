import type { Failure } from './failure.js';
import type { Json } from './json.js';
import type { Budgets } from './plan.js';
import type { Hash, Value } from './value.js';

/** A step that has ended, in the seed's words (003). */
export type EndStatus = 'success' | 'error' | 'timeout' | 'skipped';
export type StepStatus = 'pending' | 'running' | EndStatus;

/** How a run ended. */
export type RunEnd = 'success' | 'partial' | 'error' | 'timeout' | 'cancelled';
/** A run as people see it; `waiting` is for a person, `paused` for a budget or by request. */
export type RunStatus = RunEnd | 'running' | 'waiting' | 'paused';

/** What was used. `usd` null is an unknown price, never nothing. */
export interface Spend {
  usd: number | null;
  tokens: number;
  steps: number;
}

export const NO_SPEND: Spend = { usd: 0, tokens: 0, steps: 0 };

export function addSpend(a: Spend, b: Spend): Spend {
  return { usd: a.usd === null || b.usd === null ? null : a.usd + b.usd, tokens: a.tokens + b.tokens, steps: a.steps + b.steps };
}

/**
 * What a step produced: the seed's StepResult and what goes beyond it. `output` is null unless the status is
 * success; `error` is null unless it is error, timeout or skipped for a reason worth telling.
 */
export interface StepResult {
  status: EndStatus;
  output: Value | null;
  error: string | null;
  /** The kind of failure, for machines; null on success. */
  failure: Failure['type'] | null;
  duration_ms: number;
  agent: string;
  step_index: number;
  id: string | null;
  /** Tries that the interpreter made. */
  attempts: number;
  spend: Spend;
  reused: boolean;
  /** One line for people: `exit 0`, `42 lines`. */
  note: string | null;
  /** The run below it, for a nested workflow. */
  run: string | null;
  /** Results of the nested run's steps, in pages of 500 `StepResult`s, each a stored value. */
  pages: Value[];
}

export interface GroupResult {
  status: 'success' | 'partial' | 'error';
  outputs: StepResult[];
  succeeded: StepResult[];
  failed: StepResult[];
}

/** What the Temporal workflow returns: small, whatever the run produced (I12). */
export interface RunOutcome {
  status: RunEnd;
  error: string | null;
  output: Value | null;
  spend: Spend;
  /** All StepResults, in pages of 500, each a stored list. */
  pages: Value[];
}

/** What is written under `.perdure/runs/` when a root run closes (decision 7). */
export interface RunRecord extends RunOutcome {
  run: string;
  plan: Hash;
  plan_name: string;
  input: Record<string, Value>;
  budget: Budgets;
  rehearsal: boolean;
  submitted_by: string;
  /** ISO 8601, UTC. */
  started_at: string;
  ended_at: string;
}

/** `--json` of `run` and `show`: the contract of `cli.md`. Values up to 1 MiB are inlined. */
export interface RunResult {
  run: string;
  plan: Hash;
  status: RunStatus;
  output: Json;
  error: string | null;
  steps: Json[];
  spend: Spend;
  budget: Json;
  rehearsal: boolean;
  started_at: string;
  ended_at: string | null;
}
