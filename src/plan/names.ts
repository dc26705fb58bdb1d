/** Names of agents, and of definitions (docs/workflows.md). */
export const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
/** Ids of steps, names of outputs, inputs and groups. */
export const ID = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;
/** A run's id: what a person may give to `--id`. Nested runs append `/<path>`. */
export const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** So many characters Temporal takes as the id of a run or an activity, or as the name of a queue. */
export const LONGEST_NAME = 1_000;
/** A path of a step as the compiler lets it be: the ids that Temporal is given say more than it. */
export const LONGEST_PATH = 800;
/** Labels and programs that a step requires, all together: the name of their queue says whose it is too. */
export const LONGEST_REQUIREMENT = 800;

/** The one workflow type. */
export const INTERPRETER = 'perdure';

/** Signal and update by which a person decides a gate; both take a `Decision` and run the same checks (decision 4). */
export const DECIDE = 'decide';

/** Update and signal by which a person steers a run; both take a `Steer`. */
export const STEER = 'steer';

/** Signal by which the runs of one tree share its budget. */
export const LEDGER = 'ledger';

/** Keys of the memo. What waits for people is upserted there by the run that owns it (decision 5). */
export const MEMO = {
  definition: 'perdure.definition',
  plan: 'perdure.plan',
  input: 'perdure.input',
  store: 'perdure.store',
  submittedBy: 'perdure.submitted_by',
  rehearsal: 'perdure.rehearsal',
  /** When the run was submitted, ISO 8601: of one that has continued as new Temporal tells only when that began. */
  submittedAt: 'perdure.submitted_at',
  waiting: 'perdure.waiting',
  /** How many open gates are not in the list, because it would be too long. */
  unlisted: 'perdure.unlisted',
  /** How the gate ended that was closed last. */
  decided: 'perdure.decided',
  /** Why nothing new starts (`Pause`), by a limit or by request; null when it goes on. */
  paused: 'perdure.paused',
  /** What steps that are under way require of their workers: keys of requirements. */
  requires: 'perdure.requires',
  /** Limits of which most is used (`Warning`s). */
  warnings: 'perdure.warnings',
} as const;

/** Search attributes, keywords all; registered on our own server, used elsewhere only where they exist. */
export const SEARCH_ATTRIBUTES = {
  definition: 'PerdureDefinition',
  plan: 'PerdurePlan',
  root: 'PerdureRoot',
  /** A `RunStatus`: what Temporal's own status does not tell, of a run that waits, is paused or ended in part. */
  status: 'PerdureStatus',
} as const;

/** Activity id of what begins the next workflow task, and is no step: no path begins with `/`. */
export const NEXT_TASK_ID = '/next-task';

/** What is done with the work trees of a run, beside its steps. */
export type TreeAct = 'make' | 'begin' | 'commit';

/** Activity id of that for a try of the step at a path; for `make` there is none. */
export function treeActivityId(act: TreeAct, path: string, tried: number): string {
  return `/tree/${act}/${String(tried)}/${path}`;
}

/** What `treeActivityId` was made from; null for other ids. */
export function treeActivity(id: string): { act: TreeAct; path: string } | null {
  const [, act, path = ''] = /^\/tree\/(make|begin|commit)\/\d+\/(.*)$/.exec(id) ?? [];
  return act === 'make' || act === 'begin' || act === 'commit' ? { act, path } : null;
}

/** What a step is: the kinds of `Step`, in a module that knows no step, since tools and rules name them too. */
export type StepKind =
  | 'agent'
  | 'command'
  | 'tool'
  | 'workflow'
  | 'plan'
  | 'approval'
  | 'ask'
  | 'set'
  | 'wait'
  | 'foreach'
  | 'loop'
  | 'compile'
  | 'flash'
  | 'serial';

/** How much a model thinks before it answers, from the least to the most. */
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/**
 * What a step asks of the worker that does it, sorted, each word once: a label as it is (`gpu`), `program:NAME`, and
 * `sandbox:`.
 */
export type Requirement = string[];

const WAIT = 'wait of ';

/** What the timer of a `wait` step is called in history: it has no other event. `path` is the step's in its run. */
export function waitSummary(path: string): string {
  return `${WAIT}${path}`;
}

/** The path of the `wait` step whose timer is called so; null for other timers. */
export function waitedPath(summary: string): string | null {
  return summary.startsWith(WAIT) ? summary.slice(WAIT.length) : null;
}
