import type { Batch } from './schedule/batch-run.js';
import type { Clock } from './budget/run-clock.js';
import type { Conversation } from './agents/conversation.js';
import type { ExhaustionPolicy } from './budget/exhaustion.js';
import type { Autonomy } from './gates/autonomy.js';
import type { Gate, GateEnd } from './gates/gate.js';
import type { CarriedLedger } from './budget/ledger.js';
import type { NotifySettings } from './gates/notice.js';
import type { ShortPlan } from './packing/packed-plan.js';
import type { Plan } from './plan.js';
import type { Budgets } from './budget/budgets.js';
import type { Quota } from './budget/quota.js';
import type { ProgramSettings } from './agents/program.js';
import type { RoundCounts } from './result.js';
import type { Restrictions, Warning } from './budget/steering.js';
import type { TraceSettings } from './telemetry/trace.js';
import type { WorkTreeSettings } from './worktree.js';
import type { Hash, Value } from './values/value.js';
import type { ModelChoice } from './agents/model-choice.js';
import type { CarriedBlock, CarriedScope, CarriedTries } from './schedule/carried.js';

/** A run that a rerun takes results from. */
export interface ReuseSource {
  run: string;
  /** Scope of its journal. */
  from: string;
  /** The workspace is not as that run left it: a command that does not name what it reads runs anew. */
  changed: boolean;
}

/** What a rerun takes from the run before (decision 14), settled at submit. */
export interface ReuseSettings extends ReuseSource {
  /**
   * Where that run was a rerun itself, and may not have come to all that was there for it: those before it, the latest
   * first.
   */
  earlier?: ReuseSource[];
  /** Paths of steps that run anew, with all that is below them; `rounds/2+` is all rounds of a loop from there on. */
  fresh: string[];
  /** Paths of steps whose external effect has happened; null where `--again` was given. */
  done: string[] | null;
  /** External effects that happened and may be repeated, for reruns of this rerun. */
  happened?: string[];
  /** It works in a work tree, which has nothing of what earlier runs changed: steps that may change files run anew. */
  in_tree?: true;
}

/** What holds for a whole tree of runs, settled at submit. */
export interface RunSettings {
  /** Model names as definitions write them (`sonnet`, ``''`` for none) to what is called. */
  models: Record<string, ModelChoice>;
  /** Programs that play agents; absent where none does. */
  programs?: ProgramSettings;
  rehearsal: boolean;
  /** Of a test: no step lets time pass, and a next try begins at once. Absent in other runs. */
  no_waits?: true;
  submitted_by: string;
  /** What gates do: ask people, approve as the submitter, or take each gate's fallback. */
  gates: 'ask' | 'approve' | 'fallback';
  /** Of a run that starts by itself: people may decide the gates of its definition until their deadlines. */
  asks_until_deadline?: true;
  /** When actions wait for a person: as the project says, then each workflow around. Absent where none does. */
  autonomy?: Autonomy[];
  /** Decisions must carry a token of the store's (`approvals.require_token`). */
  require_token?: true;
  /** A signed receipt is kept of each decision; absent in runs of before there were any. */
  receipts?: true;
  /** Something in it is refused where there is no sandbox: the run looks for one before it begins. */
  needs_sandbox?: true;
  /**
   * Whether a call of a tool that takes a moment may be made is found out where it is made, in one local activity;
   * absent in runs of before that was so.
   */
  judged_in_call?: true;
  /** Calls of an agent's turn that take a moment and only look are made by one local activity; absent likewise. */
  calls_together?: true;
  /** Steps of such tools, one after another, are done in a row by one local activity; absent likewise. */
  rows?: true;
  /** A cancelled run waits for no budget: what clears up is done all the same; absent likewise. */
  cancel_ends_pause?: true;
  /** What calls have cost that ended between two attempts is looked for in the journal; absent likewise. */
  finds_spend?: true;
  /** A nested or batch run that is cut off is told why before it is cancelled; absent likewise. */
  tells_cuts?: true;
  /** The time limit of a nested run stands still while that only waits for people; absent likewise. */
  limits_work?: true;
  /** A `wait` until a day that there is not, or longer than a timer takes, fails; absent likewise. */
  checks_moments?: true;
  /** What a `plan` step runs is compiled by an activity of its own, outside of the workflow task; absent likewise. */
  compiles_apart?: true;
  /** Each step waits until what it came to is on the disk, where somebody asked for that. */
  durability?: 'synced';
  /** Origin of the pages on which people see it (`https://host`); absent where the project names none. */
  pages?: string;
  /** How people are told of what happens; absent where they are not. */
  notify?: NotifySettings;
  /** Whether the server knows our search attributes. */
  search_attributes: boolean;
  /** The server knows `PerdureStatus`: the run says there how it stands. Absent where it does not. */
  status_attribute?: true;
  /** The limits in force: of those that are set the smallest, else the defaults. */
  budget: Budgets;
  /** What all runs of a day share; absent where the project names none. */
  quota?: Quota;
  /** What happens at the root's limits, where somebody chose. */
  on_exhausted?: ExhaustionPolicy;
  /** Folder that relative paths of commands start from: the project's root. */
  workspace: string;
  /** Whose it is, of several projects that have one store; absent in runs of before. */
  project?: string;
  /** Of a run that works in a work tree, which is its `workspace`. */
  worktree?: WorkTreeSettings;
  /** The definition's file as the submitter named it, from the project; absent where there is none. */
  definition?: string;
  /** Of a rerun: what of an earlier run may be taken over. */
  reuse?: ReuseSettings;
  /** What agents are told beside their prompts: a stored `InjectedContext`. Absent where there is nothing to tell. */
  context?: Hash;
  /** Hash of the project's AGENTS.md as the run finds it, null where there is none; absent in runs of before. */
  agents_md?: Hash | null;
  /** Its trace, where it is traced. */
  trace?: TraceSettings;
  /** Folder that the run was submitted from, for commands that say so. */
  caller: string;
}

/** What runs that start now do, and those of before did not (I14). */
export const WAYS_OF_TODAY = {
  judged_in_call: true,
  calls_together: true,
  rows: true,
  cancel_ends_pause: true,
  finds_spend: true,
  tells_cuts: true,
  limits_work: true,
  checks_moments: true,
  compiles_apart: true,
} as const satisfies Partial<RunSettings>;

/**
 * What a run may use (decision 2); null is no limit. A root's lease are its limits, which it owns; a nested run's is
 * what it is lent at its start.
 */
export interface Lease {
  steps: number | null;
  usd: number | null;
  tokens: number | null;
  /** Activities at once. */
  slots: number | null;
  /** Of a root only: a nested run's clock is that of its own definition, and those above go on. */
  runtime_ms: number | null;
}

/** Limits as the arguments of a start. */
export function leaseOf({ max_steps, max_cost_usd, max_tokens, max_parallel, max_runtime_mins }: Budgets): Lease {
  return {
    steps: max_steps,
    usd: max_cost_usd,
    tokens: max_tokens,
    slots: max_parallel,
    runtime_ms: max_runtime_mins === null ? null : Math.round(max_runtime_mins * 60_000),
  };
}

export const UNLIMITED: Lease = { steps: null, usd: null, tokens: null, slots: null, runtime_ms: null };

/** What a nested run is told by the run that starts it. */
export interface TreeTerms {
  /** The run above: it lends, and takes back. */
  parent: string;
  climate: Restrictions;
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
  /** That Plan was made while the root ran: paths from the root are none of its own. */
  made?: true;
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
  /** Running foreach and loop steps by path. */
  blocks: Record<string, CarriedBlock>;
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
  /** Hashes of what people have allowed for the rest of the run; absent for none. */
  remembered?: Hash[];
  /** How those of them ended that were decided, where that has not taken effect. */
  decisions?: GateEnd[];
  /** The budget; absent where a batch run begins, which has what it was lent. */
  purse?: CarriedAccount;
  /**
   * The run that started this one was told last that all this one can do is wait for people; absent where it was not.
   */
  told_waiting?: true;
  /** ISO 8601, UTC. */
  started_at: string;
}

/** What a run knows of its budget and of how it is steered. */
export interface CarriedAccount {
  ledger: CarriedLedger;
  own: Restrictions;
  above: Restrictions;
  /** Requests that were done, the last of them last. */
  done: string[];
  clock: Clock | null;
  refused: number;
  /** Absent where there were none. */
  warnings?: Warning[];
  /** Why the run around it cuts it off; absent where it does not. */
  cut?: string;
}

/**
 * Steps that a run starts before it continues as new, unless its history is long before (I12). To continue it waits
 * until nothing is in flight, which costs a wide fan-out as much as fifty of its steps.
 */
export const LINK_STEPS = 1_000;

/** The one argument of the interpreter workflow. */
export interface RunInput {
  plan: ShortPlan;
  input: Record<string, Value>;
  /** Null for a root run. */
  root: RootLink | null;
  /** Path of this run below its root; empty for the root. */
  path: string;
  lease: Lease;
  /** Of a nested run. */
  tree?: TreeTerms;
  settings: RunSettings;
  /** Steps that one Temporal run starts before it continues as new (I12): `LINK_STEPS`, but in tests. */
  link_steps: number;
  carried: Carried | null;
  /** Of a batch run: which part of which run it is. */
  batch?: Batch;
}

/** A run's start arguments as viewers read them from history: with the Plan as the compiler made it. */
export type ReadRunInput = Omit<RunInput, 'plan'> & { plan: Plan };
