import type { Failure } from '../failure.js';
import type { Rework, StepState } from './schedule-state.js';
import type { Failures, RoundCounts, RoundResult } from '../result.js';
import type { Amounts } from '../budget/amounts.js';
import type { PaidBefore } from '../budget/paid-before.js';
import type { Spend } from '../budget/spend.js';
import type { Hash, Value } from '../values/value.js';

/** A finished step as it travels when a run continues as new, where a later step can still refer to it (I12). */
export interface CarriedStep {
  output: Value | null;
  failure: Failure | null;
  /** Why it was skipped; absent where it was not. */
  reason?: string;
  duration_ms: number;
  partial?: string;
  decided_by?: string[];
  comment?: string;
}

/** How far the steps of one scope are. */
export interface CarriedScope {
  /** One letter a step, in order: see `LETTERS` in `schedule.ts`. */
  statuses: string;
  /** Steps that will be skipped, each with the step that dooms it. */
  doomed: [number, number][];
  steps: Record<number, CarriedStep>;
  /** Rejections that sent work back; absent where there were none. */
  reworks?: Rework[];
  /** The first step that the run was stopped before or in, and what it says of that; absent where there is none. */
  cut?: { step: number } & Pick<StepState, 'reason' | 'note'>;
  /** Index of the step whose failure stopped the scope. */
  stopped: number | null;
  /** Failed steps so far: how many, and what the first few said. */
  failures: Failures;
  spend: Spend;
  /** Results that were written to the store so far, in pages. */
  pages: Value[];
}

/** How far a foreach or a loop is that has not ended. */
export interface CarriedBlock {
  /** What a foreach goes through; null for a loop. */
  items: Value | null;
  /** The first item or round that has not started. */
  next: number;
  /** The first item that is not this run's to do, of a batch run. */
  end?: number;
  /** Items or rounds that have started and not ended, by index. */
  open: Record<number, CarriedScope>;
  /** The round before the open one, of a loop. */
  last: CarriedScope | null;
  /** How the last round of a loop ended that only has to close its books; absent where another round may follow. */
  over?: LastRound;
  /**
   * Batch runs of a foreach that were cancelled, and why the first of them was that this run did not cancel; absent
   * where there are none.
   */
  cancelled?: string[];
  broken?: Failure;
  /** What came of those that have ended. */
  counts: RoundCounts;
  spend: Spend;
  /** `RoundResult`s that were written to the store so far, in pages. */
  pages: Value[];
}

/** A try that was refused because what was reserved did not do: what it needs, and with which model. */
export interface Short {
  need: Amounts;
  model: string;
}

/** A step that was tried, or approved, and has not ended. */
export interface CarriedTries {
  count: number;
  spent: Spend;
  /** How the last try failed; null before the first. */
  failure: Failure | null;
  /** The image that was approved for a device. */
  image?: { image: Value; sha256: string };
  /** Hash of the gate at which a person allowed the call of a tool. */
  allowed?: Hash;
  /** Another try is due, and nobody is to be asked first. */
  again?: boolean;
  /** The last one was refused for want of money, and goes on: what it needs, of whom, and what it has cost. */
  short?: Short;
  paid?: PaidBefore;
}

/** How the last round of a loop ended, and whether its condition held then. */
export interface LastRound extends Pick<RoundResult, 'index' | 'status' | 'output'> {
  failure: Failure | null;
  holds: boolean;
  /** Why the run left it undone, where it was stopped in it. */
  cut?: string;
}
