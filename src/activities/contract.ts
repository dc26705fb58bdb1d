import type { Environment } from '../plan/environment.js';
import type { RunRecord, Spend, StepResult } from '../plan/result.js';
import type { ModelChoice, RootLink } from '../plan/run-input.js';
import type { Plan } from '../plan/plan.js';
import type { Hash, Value } from '../plan/value.js';

/**
 * Which step an activity acts for. The Plan itself is not in it: activities read it from the store by `root.plan`
 * (immutable, cached per worker), so history carries only what differs from step to step.
 */
export interface StepCall {
  root: RootLink;
  /** The nested workflow inside the root's Plan, or null for the root's own body. */
  nested: Hash | null;
  /** Index of the step in that body. */
  step: number;
  /** Path below the root run, with item and iteration numbers. */
  path: string;
  /** The interpreter's try, from 1 (decision 13). Temporal's own attempt is no part of any key (I8). */
  try: number;
  environment: Environment;
}

export interface ModelCall extends StepCall {
  model: ModelChoice;
}

export interface CommandCall extends StepCall {
  /** Absolute folder that relative paths start from. */
  workspace: string;
  /**
   * A step of at most 10 s that runs as a local activity: 1 event instead of 6. A crash repeats the call, so how it
   * ended, well or not, is journalled before it returns and answered from there (I8).
   */
  quick?: true;
}

/** What an acting activity returns. Failures are thrown: `ApplicationFailure` whose type is a `FailureType`. */
export interface StepOutput {
  output: Value;
  spend: Spend;
  /** One line for people: `exit 0`, `1,204 tokens`. */
  note: string | null;
  reused: boolean;
  /** Of a quick step, whose history event does not name it. */
  path?: string;
}

/** What a gate shows, rendered and hashed where big values may be read (I6). */
export interface RenderedGate {
  message: string;
  content: Value | null;
  hash: Hash;
}

/**
 * Which templates of a body to render: a nested step's inputs (by name), a step's condition (`{when: boolean}`), or
 * the body's `output:` (`{output: …}`).
 */
export type RenderCall = { root: RootLink; nested: Hash | null; environment: Environment } & (
  | { what: 'inputs' | 'when'; step: number }
  | { what: 'output' }
);

/**
 * All side effects of the interpreter. The first two are activities; the others are quick, idempotent writes and
 * reads of the store and run as local activities.
 */
export interface Activities {
  callModel(call: ModelCall): Promise<StepOutput>;
  runCommand(call: CommandCall): Promise<StepOutput>;
  /** Renders and hashes what an approval shows, or `question` where the interpreter itself asks. */
  renderGate(call: StepCall & { question?: string }): Promise<RenderedGate>;
  /** Renders what the workflow cannot, because an operand is stored or the result may be big. */
  renderValues(call: RenderCall): Promise<Record<string, Value>>;
  /** Stores one page of at most 500 results and names it (I12). */
  writePage(results: StepResult[]): Promise<Value>;
  /** Puts a Plan that came inline into the store, so that activities find it (decision 11). */
  savePlan(plan: Plan): Promise<void>;
  /**
   * Stores the results that are in no page yet as pages of 500, then writes input and outcome of the closed run under
   * `.perdure/runs/` (decision 7). Returns all pages: those of `record`, and the new ones.
   */
  closeRun(record: RunRecord, results: StepResult[]): Promise<Value[]>;
}
