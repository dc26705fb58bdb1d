import type { Batch } from './batch.js';
import type { Clock } from './clock.js';
import type { Conversation } from './conversation.js';
import type { ExhaustionPolicy } from './exhaustion.js';
import type { Failure } from './failure.js';
import type { Gate, GateEnd } from './gate.js';
import type { CarriedLedger } from './ledger.js';
import type { NotifySettings } from './notice.js';
import type { PlanInHistory } from './pack.js';
import type { Budgets, Plan } from './plan.js';
import type { Price } from './price.js';
import type { ProgramSettings } from './program.js';
import type { Failures, RoundCounts, RoundResult, Spend } from './result.js';
import type { Rework } from './rework.js';
import type { Climate, Warning } from './steering.js';
import type { Hash, Value } from './value.js';

/** A model as it will be called: chosen when a run starts, recorded, no part of the Plan's hash. */
export interface ModelChoice {
  provider: 'anthropic' | 'ollama' | 'openai' | 'rehearsal';
  /** The provider's full model id. */
  model: string;
  /** Where a definition that a person wrote says so; never a model's word (S60). */
  base_url?: string;
  /** Name of the variable that holds the key, where `perdure.yml` says so (I13). */
  key?: string;
  /** Calls that a worker makes to this provider at once, where `perdure.yml` says so. */
  concurrency?: number;
  /** What it costs, as settled at submit; null is nothing. Absent in runs that were started before prices were. */
  price?: Price | null;
  /** Nobody knows the price: `price` is what is reserved, and what a call cost is not known either (I8). */
  assumed?: true;
  /** Tokens of one answer at most. */
  max_tokens?: number;
}

/** A run that a rerun takes results from. */
export interface ReuseSource {
  /** Scope of its journal. */
  from: string;
  /** The workspace is not as that run left it: a command that does not name what it reads runs anew. */
  changed: boolean;
}

/** What a rerun takes from the run before (decision 14), settled at submit. */
export interface ReuseSettings extends ReuseSource {
  run: string;
  /**
   * Where that run was a rerun itself, and may not have come to all that was there for it: those before it, the latest
   * first.
   */
  earlier?: ReuseSource[];
  /** Paths of steps that run anew, with all that is below them. */
  fresh: string[];
  /** Paths of steps whose external effect has happened; null where `--again` was given. */
  done: string[] | null;
  /** The same where they may be repeated, for reruns of this rerun. */
  happened?: string[];
}

/** What holds for a whole tree of runs, settled at submit. */
export interface RunSettings {
  /** Model names as definitions write them (`sonnet`, ``''`` for none) to what is called. */
  models: Record<string, ModelChoice>;
  /** Programs that play agents; absent where none does. */
  programs?: ProgramSettings;
  rehearsal: boolean;
  submitted_by: string;
  /** What gates do: ask people, approve as the submitter, or take each gate's fallback. */
  gates: 'ask' | 'approve' | 'fallback';
  /** Decisions must carry a token of the store's (`approvals.require_token`). */
  require_token?: true;
  /** People are warned when most of the run time is used. Runs of old are not: it takes a timer more (I14). */
  warn_time?: true;
  /** Something in it is refused where there is no sandbox: the run looks for one before it begins. */
  needs_sandbox?: true;
  /** How people are told of what happens; absent where they are not. */
  notify?: NotifySettings;
  /** Whether the server knows our search attributes. */
  search_attributes: boolean;
  /** The limits in force: of those that are set the smallest, else the defaults. */
  budget: Budgets;
  /** What happens at the root's limits, where somebody chose. */
  on_exhausted?: ExhaustionPolicy;
  /** Folder that relative paths of commands start from: the project's root. */
  workspace: string;
  /**
   * The definition's file as the submitter named it, from the workspace; absent where there is none, and in runs of
   * old.
   */
  definition?: string;
  /** Of a rerun: what of an earlier run may be taken over. */
  reuse?: ReuseSettings;
  /** What agents are told beside their prompts: a stored `InjectedContext`. Absent where there is nothing to tell. */
  context?: Hash;
  /** Folder that the run was submitted from, for commands that say so; absent in runs of old. */
  caller?: string;
}

/**
 * What a run may use (decision 2); null is no limit. A root's lease are its limits, which it owns; a nested run's is
 * what it is lent at its start.
 */
export interface Lease {
  steps: number | null;
  usd: number | null;
  tokens: number | null;
  /** Activities at once. Absent in runs from before budgets were held. */
  slots?: number | null;
  /** Of a root only: a nested run's clock is that of its own definition, and those above go on. */
  runtime_ms: number | null;
}

export const UNLIMITED: Lease = { steps: null, usd: null, tokens: null, runtime_ms: null };

/** What a nested run is told by the run that starts it. */
export interface TreeTerms {
  /** The run above: it lends, and takes back. */
  parent: string;
  climate: Climate;
}

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
  partial?: string;
  decided_by?: string[];
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

/** How the last round of a loop ended, and whether its condition held then. */
export interface LastRound extends Pick<RoundResult, 'index' | 'status' | 'output'> {
  failure: Failure | null;
  holds: boolean;
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
}

/** What came of the items of a batch run, and their results in pages. */
export interface BatchEnd {
  counts: RoundCounts;
  pages: Value[];
}

/** What a run hands to itself when it continues as new (I12). */
export interface Carried extends CarriedScope {
  /** Of a batch run whose foreach has ended: what it hands over. */
  items?: BatchEnd;
  /** Running foreach and loop steps by path; absent in histories from before there were any. */
  blocks?: Record<string, CarriedBlock>;
  /** Conversations that have not ended, by path; absent where there are none. */
  conversations?: Record<string, Conversation>;
  /** When the steps that were not over had started, by path, in epoch milliseconds: their deadlines go on. */
  since?: Record<string, number>;
  /** Leases of devices that later steps need as they are, each with the device's own key. */
  devices?: Record<string, string>;
  /** What is known of the steps that were tried and have not ended, by path. */
  tried?: Record<string, CarriedTries>;
  /** Open gates, as they were shown. */
  gates: Gate[];
  /** How those of them ended that were decided, where that has not taken effect. */
  decisions?: GateEnd[];
  /** The budget; absent in histories from before budgets were held. */
  purse?: CarriedPurse;
  /**
   * The run that started this one was told last that all this one can do is wait for people; absent where it was not.
   */
  told_waiting?: true;
  /** ISO 8601, UTC. */
  started_at: string;
}

/** What a run knows of its budget and of how it is steered. */
export interface CarriedPurse {
  ledger: CarriedLedger;
  own: Climate;
  above: Climate;
  /** Requests that were done, the last of them last. */
  done: string[];
  clock: Clock | null;
  refused: number;
  /** Absent where there were none. */
  warnings?: Warning[];
}

/**
 * Steps that a run starts before it continues as new, unless its history is long before (I12). To continue it waits
 * until nothing is in flight, which costs a wide fan-out as much as fifty of its steps.
 */
export const LINK_STEPS = 1_000;

/** The one argument of the interpreter workflow. */
export interface RunInput {
  plan: PlanInHistory;
  input: Record<string, Value>;
  /** Null for a root run. */
  root: RootLink | null;
  /** Path of this run below its root; empty for the root. */
  path: string;
  lease: Lease;
  /** Of a nested run; absent in runs from before budgets were held. */
  tree?: TreeTerms;
  settings: RunSettings;
  /**
   * What quick steps came to is told in turn (`workflows/in-turn.ts`). Runs of old take together what comes together
   * (I14).
   */
  in_turn?: true;
  /**
   * Steps that one Temporal run starts before it continues as new (I12): `LINK_STEPS`; absent in runs of before, which
   * hold 500.
   */
  link_steps?: number;
  carried: Carried | null;
  /** Of a batch run: which part of which run it is. */
  batch?: Batch;
}

/** A run's start arguments as viewers read them from history: with the Plan as the compiler made it. */
export type ReadRunInput = Omit<RunInput, 'plan'> & { plan: Plan };
