import type { Failure } from './failure.js';
import type { Json } from './values/json.js';
import type { Budgets } from './budget/budgets.js';
import type { Hash, Value } from './values/value.js';
import type { Charged, Spend } from './budget/spend.js';
import type { TraceSettings } from './telemetry/trace.js';
import type { Narration } from './narration/record.js';

/** A step that has ended, in the words of the documented JSON. */
export type EndStatus = 'success' | 'error' | 'timeout' | 'skipped';
export type StepStatus = 'pending' | 'running' | EndStatus;

/** How a run ended. */
export type RunEnd = 'success' | 'partial' | 'error' | 'timeout' | 'cancelled';
/** A run as people see it; `waiting` is for a person, `paused` for a budget or by request. */
export type RunStatus = RunEnd | 'running' | 'waiting' | 'paused';

/**
 * What a step produced: the documented StepResult and what goes beyond it. `output` is null unless the status is
 * success; `error` is null unless it is error, timeout or skipped for a reason worth telling.
 */
export interface StepResult {
  status: EndStatus;
  output: Value | null;
  error: string | null;
  /** The kind of failure, for machines; null on success. */
  failure: Failure['type'] | null;
  duration_ms: number;
  /** When it started, in epoch milliseconds; only in a run that is traced. */
  started_at?: number;
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
  /**
   * What is below it, in pages of at most 500, each a stored list: `StepResult`s of a nested run's steps, or
   * `RoundResult`s of a foreach's items and a loop's rounds, as they ended.
   */
  pages: Value[];
  /** Of a gate: who decided it. */
  decided_by?: string[];
  /** Of a gate: what was said with the decision. */
  comment?: string;
  /** Of a success: what failed below it and was passed over. Such a step makes its run `partial`. */
  partial?: string;
  /** Of an agent: full id of the model that was asked last, where it is not the one that was chosen for it. */
  model?: string;
}

/** One item of a foreach, or one round of a loop. */
export interface RoundResult {
  /** From 0. */
  index: number;
  status: EndStatus;
  output: Value | null;
  error: string | null;
  duration_ms: number;
  /** As of a `StepResult`. */
  started_at?: number;
  spend: Spend;
  /** Results of its body's steps, as they ended. */
  steps: StepResult[];
  /** Those of them that were written before, in pages. */
  pages: Value[];
  /** Of a success: what failed in it and was passed over. */
  partial?: string;
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
  /** What was counted against the budget: as `spend`, but what nobody knows counts as it was reserved. */
  charged?: Charged;
  /** Of a batch run, whose pages hold `RoundResult`s: what came of its items. */
  items?: RoundCounts;
}

/** How many failed, and what the first few of these said. */
export interface Failures {
  count: number;
  first: string[];
}

/** How the items of a foreach or the rounds of a loop ended. */
export interface RoundCounts {
  /** All that have ended. */
  done: number;
  succeeded: number;
  failures: Failures;
  /** Those that succeeded, and in which something failed that goes up. */
  partial: Failures;
  /** Rounds in which something failed that a later round makes up for. */
  passed: number;
  /** Those that the run left undone, in whole or in part, because it was stopped. */
  cut: number;
}

/** What is written under `.perdure/runs/` when a root run closes (decision 7). */
export interface RunRecord extends RunOutcome {
  run: string;
  plan: Hash;
  plan_name: string;
  input: Record<string, Value>;
  budget: Budgets;
  rehearsal: boolean;
  /** Full ids of the models that were chosen, by the names that definitions give them. */
  models?: Record<string, string>;
  submitted_by: string;
  /** The definition's file from the workspace's folder; absent where there is none. */
  definition?: string;
  /** Whose it is, of several projects that have one store; absent in runs of before. */
  project?: string;
  workspace: string;
  /** Of a run in a work tree: the branch that it has committed to. */
  branch?: string;
  /** What agents were told beside their prompts: a stored `InjectedContext`. */
  context?: Hash;
  /** Hash of AGENTS.md as the run found it, null where there was none; absent in runs of before. */
  agents_md?: Hash | null;
  /** Scope of the tree's journal: what a rerun takes results from. */
  journal: string;
  /** Its trace, where it is traced. */
  trace?: TraceSettings;
  /** The run that this one is a rerun of. */
  rerun_of?: string;
  /**
   * Paths of steps whose external effect had happened before, in the runs that it is a rerun of: these may be pruned by
   * then.
   */
  done_before?: string[];
  /** State of the workspace when the run closed; null where no rerun is held against it. */
  workspace_digest: WorkspaceState | null;
  /** ISO 8601, UTC. */
  started_at: string;
  ended_at: string;
}

/** The state of a workspace under git; one that is not known is as no other was, also where that is not known. */
export type WorkspaceState = Hash | 'unknown';

/** What a run hands over to be written when it closes. */
export type ClosingRun = Omit<RunRecord, 'workspace_digest'>;

/** What models have cost by the steps that tasks are, and by the roles of who was asked. */
export interface TaskCosts {
  tasks: Record<string, Pick<Spend, 'usd' | 'tokens'>>;
  roles: Record<string, Pick<Spend, 'usd' | 'tokens'>>;
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
  /** Of a run whose tasks were planned. */
  costs?: TaskCosts;
  budget: Json;
  rehearsal: boolean;
  /** Of a run in a work tree: the branch of its commits, in its own repository. */
  branch?: string;
  /** What narrator and teacher said of it, on their own account; absent where neither did anything. */
  narration?: Narration;
  /** Calls of tools that people have allowed for the rest of it, in the order in which they did; absent for none. */
  remembered?: Json[];
  started_at: string;
  ended_at: string | null;
}
