import { MEMO, SEARCH_ATTRIBUTES } from '../../plan/names.js';
import { shortPlan } from '../../plan/packing/packed-plan.js';
import type { Requirement } from '../../plan/names.js';
import type { Plan } from '../../plan/plan.js';
import { everyStepOf } from '../../plan/plan.js';
import type { RunStatus } from '../../plan/result.js';
import type { RunInput, RunSettings } from '../../plan/run-input.js';
import { leaseOf, LINK_STEPS } from '../../plan/run-input.js';
import type { JsonObject } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Hash, Value } from '../../plan/values/value.js';
import { bare } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';

/*
 * What a root run is started with, whoever starts it: a command, or a schedule.
 */

/** The name under which two inputs are the same: SHA-256 of the canonical JSON of the values. */
export function inputHash(input: Record<string, Value>): Hash {
  return sha256(canonicalJson(Object.fromEntries(Object.entries(input).map(([name, value]) => [name, bare(value)]))));
}

/** The one argument of the interpreter. */
export function toRunInput(plan: Plan, input: Record<string, Value>, settings: RunSettings): RunInput {
  return {
    plan: shortPlan(plan),
    input,
    root: null,
    path: '',
    lease: leaseOf(settings.budget),
    settings,
    link_steps: LINK_STEPS,
    carried: null,
  };
}

/** Where the work tree of a run is at first, and whether it goes from machine to machine. */
interface TreeAt {
  main: string;
  travels: boolean;
}

/** The settings of a run, with its work tree where its Plan asks for one. */
export function inWorkTree(settings: RunSettings, plan: Plan, { main, travels }: TreeAt): RunSettings {
  const { workspace } = plan;
  if (workspace === undefined || settings.worktree !== undefined) return settings;
  const { kind: _kind, ...how } = workspace;
  const worktree = { project: settings.workspace, ...how, ...(travels ? { travels: requiredIn(plan) } : {}) };
  return { ...settings, workspace: main, worktree };
}

/** What all steps of a Plan require that have one workspace: one worker does what they do there. */
function requiredIn(plan: Plan): Requirement {
  return [...new Set([...everyStepOf(plan)].flatMap(({ requires = [] }) => requires))].sort();
}

/** What the memo of a root run says from its start. */
export function memoOf(
  plan: Plan,
  input: Record<string, Value>,
  { settings, storeId }: { settings: RunSettings; storeId: string },
): JsonObject {
  return {
    [MEMO.definition]: plan.name,
    [MEMO.plan]: plan.hash,
    [MEMO.input]: inputHash(input),
    [MEMO.store]: storeId,
    [MEMO.submittedBy]: settings.submitted_by,
    [MEMO.rehearsal]: settings.rehearsal,
    [MEMO.submittedAt]: new Date().toISOString(),
    [MEMO.waiting]: [],
  };
}

/** What Temporal's UI shows of the run in one line. */
export function summaryOf({ name }: Plan, rehearsal: boolean, description: string | undefined): string {
  return `${name}${rehearsal ? ' (rehearsal)' : ''}${description === undefined ? '' : `: ${description}`}`;
}

/** What Temporal's UI says of the run from its start: where its page is. */
export function detailsOf({ pages }: RunSettings, run: string): { staticDetails?: string } {
  return pages === undefined ? {} : { staticDetails: `[Its page](${pages}/runs/${run})` };
}

/** Search attributes of a root run by their names, keywords all. */
export function attributesOf(
  plan: Plan,
  run: string,
  { status_attribute }: Pick<RunSettings, 'status_attribute'>,
): Record<string, string> {
  return {
    [SEARCH_ATTRIBUTES.definition]: plan.name,
    [SEARCH_ATTRIBUTES.plan]: plan.hash,
    [SEARCH_ATTRIBUTES.root]: run,
    ...(status_attribute === true ? { [SEARCH_ATTRIBUTES.status]: 'running' satisfies RunStatus } : {}),
  };
}
