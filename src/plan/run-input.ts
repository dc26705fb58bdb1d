import type { Failure } from './failure.js';
import type { Decision, Gate } from './gate.js';
import type { PackedPlan } from './pack.js';
import type { Budgets, Plan } from './plan.js';
import type { Spend } from './result.js';
import type { Hash, Value } from './value.js';

/** A model as it will be called: chosen when a run starts, recorded, no part of the Plan's hash. */
export interface ModelChoice {
  provider: 'anthropic' | 'ollama' | 'rehearsal';
  /** The provider's full model id. */
  model: string;
  /** Where a definition that a person wrote says so; never a model's word (S60). */
  base_url?: string;
}

/** What holds for a whole tree of runs, settled at submit. */
export interface RunSettings {
  /** Model names as definitions write them (`sonnet`, ``''`` for none) to what is called. */
  models: Record<string, ModelChoice>;
  rehearsal: boolean;
  submitted_by: string;
  /** What gates do: ask people, approve as the submitter, or take each gate's fallback. */
  gates: 'ask' | 'approve' | 'fallback';
  /** Whether the server knows our search attributes. */
  search_attributes: boolean;
  /** The limits in force: of those that are set the smallest, else the defaults. */
  budget: Budgets;
  /** Folder that relative paths of commands start from: the project's root. */
  workspace: string;
}

/** A part of the root's budget that a run may use by itself (decision 2). Null is no limit. */
export interface Lease {
  steps: number | null;
  usd: number | null;
  tokens: number | null;
  runtime_ms: number | null;
}

export const UNLIMITED: Lease = { steps: null, usd: null, tokens: null, runtime_ms: null };

/** Which tree a nested run belongs to. */
export interface RootLink {
  /** The root's workflow id. */
  run: string;
  /**
   * Scope of the journal's keys (I8): the root's first run id, which stays the same when runs continue as new; below a
   * nested step that is tried again, that try is appended, so that a new try asks anew.
   */
  first: string;
  /** Hash of the root's Plan, by which activities find it in the store. */
  plan: Hash;
}

/** A finished step as it travels when a run continues as new, where a later step can still refer to it (I12). */
export interface CarriedStep {
  output: Value | null;
  failure: Failure | null;
  duration_ms: number;
}

/** What a run hands to itself when it continues as new (I12). */
export interface Carried {
  /** One letter a step, in order: see `LETTERS` in `schedule.ts`. */
  statuses: string;
  /** Steps that will be skipped, each with the step that dooms it. */
  doomed: [number, number][];
  steps: Record<number, CarriedStep>;
  /** Open gates, as they were shown. */
  gates: Gate[];
  /** Decisions on them that were acknowledged and have not taken effect. */
  decisions?: Decision[];
  /** Index of the step whose failure stopped the run. */
  stopped: number | null;
  /** Failed steps so far: how many, and what the first few said. */
  failures: { count: number; first: string[] };
  spend: Spend;
  /** Results that were written to the store so far. */
  pages: Value[];
  /** ISO 8601, UTC. */
  started_at: string;
}

/** The one argument of the interpreter workflow. */
export interface RunInput {
  plan: PackedPlan;
  input: Record<string, Value>;
  /** Null for a root run. */
  root: RootLink | null;
  /** Path of this run below its root; empty for the root. */
  path: string;
  lease: Lease;
  settings: RunSettings;
  carried: Carried | null;
}

/** A run's start arguments as viewers read them from history: with the Plan as the compiler made it. */
export type ReadRunInput = Omit<RunInput, 'plan'> & { plan: Plan };
