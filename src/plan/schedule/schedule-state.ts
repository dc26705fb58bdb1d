import type { Amounts } from '../budget/amounts.js';
import type { PaidBefore } from '../budget/paid-before.js';
import type { Failure } from '../failure.js';
import type { Failures, StepStatus } from '../result.js';
import type { Block } from '../step.js';
import type { Value } from '../values/value.js';
import type { Spend } from '../budget/spend.js';

/**
 * The one scheduler: a ready queue over `needs`. Pure and deterministic, so the workflow runs it and viewers fold
 * history with it (decision 5). It knows nothing of time, Temporal or what steps do.
 */
export interface Schedule {
  body: Block;
  steps: StepState[];
  /** Steps whose needs are met and that have not started, in the order they became so. */
  ready: Set<number>;
  /** Steps that have started and not ended. */
  running: Set<number>;
  /** For each step, how many needs are not met. */
  blockers: number[];
  /** For each step that will be skipped once all it needs has ended: the step that dooms it. */
  doomed: Map<number, number>;
  /** For each step, who needs it. */
  dependents: { step: number; skip: boolean }[][];
  /** Steps that have not ended. */
  open: number;
  /** Steps that ended since this schedule was made, in that order. */
  ended: number[];
  /** Rejections that sent work back, in their order. */
  reworks: Rework[];
  /** Steps that a rejection may send back. */
  redoable: ReadonlySet<number>;
  /** The step whose failure stopped the run, or null. */
  stopped: number | null;
  failures: Failures;
  spend: Spend;
}

export interface StepState {
  status: StepStatus;
  output: Value | null;
  failure: Failure | null;
  /** Why it was skipped. */
  reason: string | null;
  duration_ms: number;
  /** When it started, in epoch milliseconds, where the run is traced. */
  started_at?: number;
  attempts: number;
  spend: Spend;
  reused: boolean;
  note: string | null;
  /** What failed below a success and was passed over; empty where only that is known; null where nothing did. */
  partial: string | null;
  run: string | null;
  pages: Value[];
  /** Who decided a gate; absent where no person did. */
  decided_by?: string[];
  /** What a person said with the decision; absent where nothing was said. */
  comment?: string;
  /** As of a `StepResult`. */
  model?: string;
  /** It runs, and was sent back meanwhile: however it ends, it runs again. */
  voided?: true;
  /** The run was stopped before it, or in it, and left something of it undone that no condition kept from starting. */
  cut?: true;
}

/** How a step ended. A failed one carries its failure: "failed without a reason" cannot be written. */
export type StepEnd = {
  /** What the try would need beyond what was reserved for it, and what its question had cost by then. */
  short?: Amounts;
  paid?: PaidBefore;
} & Partial<
  Pick<
    StepState,
    | 'attempts'
    | 'spend'
    | 'reused'
    | 'note'
    | 'run'
    | 'pages'
    | 'duration_ms'
    | 'started_at'
    | 'decided_by'
    | 'comment'
    | 'cut'
  >
> &
  /** Without an output when a last step was skipped, say. `partial` tells what failed below and was passed over. */
  (
    | { status: 'success'; output: Value | null; partial?: string }
    /** `feedback` is what a person said with a rejection. */
    | { status: 'error' | 'timeout'; failure: Failure; feedback?: string | null }
    | { status: 'skipped'; reason: string }
  );

/** A rejection that sent the work back. */
export interface Rework {
  /** Index of the gate. */
  gate: number;
  feedback: string | null;
  by: string[];
}
