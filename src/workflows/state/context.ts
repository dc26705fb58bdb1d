import type { CarriedBlock, CarriedScope, CarriedTries, LastRound } from '../../plan/schedule/carried.js';
import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { BindingSource } from '../../plan/schedule/bindings.js';
import { restoreSchedule } from '../../plan/schedule/carried-schedule.js';
import type { Conversation } from '../../plan/agents/conversation.js';
import type { Binding } from '../../plan/references/environment.js';
import type { Autonomy } from '../../plan/gates/autonomy.js';
import type { Gate } from '../../plan/gates/gate.js';
import type { ShortPlan } from '../../plan/packing/packed-plan.js';
import { shortPlan, unpackPlan } from '../../plan/packing/packed-plan.js';
import type { Plan } from '../../plan/plan.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import { scopeAbove } from '../../plan/calls/journal-scope.js';
import { reuseFor } from '../../plan/calls/reuse.js';
import { holdsSlot, noteAsked } from '../../plan/schedule/schedule.js';
import type { Schedule, StepEnd } from '../../plan/schedule/schedule-state.js';
import { timesRedone } from '../../plan/schedule/rework.js';
import type { BatchEnd, RootLink, RunInput, RunSettings } from '../../plan/run-input.js';
import type { ModelChoice } from '../../plan/agents/model-choice.js';
import type { Caller, Reuse, StepAddress } from '../../plan/calls/short-call.js';
import type { MadeCall } from '../../plan/calls/tool-step-call.js';
import type { AgentStep, Block, BlockStep, CommandStep, Step, ToolStep } from '../../plan/step.js';
import { isBlockStep, modelKeyOf } from '../../plan/step.js';
import type { Hash, Value } from '../../plan/values/value.js';
import type { DeviceBook } from './device-book.js';
import type { Placement } from './placement.js';
import type { GateBook } from './gate-book.js';
import type { BudgetAccount } from './account.js';
import type { Failure } from '../../plan/failure.js';
import type { RoundCounts, RoundResult, RunEnd } from '../../plan/result.js';
import type { Spend } from '../../plan/budget/spend.js';
import { ownOf } from '../../plan/values/own.js';

/** What one run of the interpreter knows; made once, handed to everything below. */
export interface RunContext {
  plan: Plan;
  /** The nested body's hash in the root's Plan; null in a root run. */
  nested: Hash | null;
  root: RootLink;
  /** This run's workflow id. */
  run: string;
  /** This run's path below its root. */
  path: string;
  input: Record<string, Value>;
  settings: RunSettings;
  /** Steps that it starts before it continues as new. */
  linkSteps: number;
  gates: GateBook;
  devices: DeviceBook;
  placement: Placement;
  runningSteps: RunningSteps;
  account: BudgetAccount;
  /** The run's own steps. */
  top: Scope;
  /**
   * What was carried on when the run continued as new, by path: gates as they were shown, until they are shown again,
   * and running block steps.
   */
  carriedGates: Map<string, Gate>;
  carriedBlocks: Record<string, CarriedBlock>;
  /** Conversations that have not ended, by path: those of steps, and of the agents that they call. */
  conversations: Map<string, Conversation>;
  /** Plans that runs below this one were started with, by hash; see `shortened`. */
  shortPlans: Map<Hash, ShortPlan>;
  /** Calls that were made in a row before their steps started, by path. */
  madeCalls: Map<string, MadeCall>;
  /** Running foreach and loop steps by path. */
  rounds: Map<string, Rounds>;
  /** Steps whose time is over and which are being cut off, by path, and what that says. */
  overdue: Map<string, string>;
  /** When the steps that are not over have started, by path, in epoch milliseconds. */
  since: Map<string, number>;
  /** What is known of steps that were tried and have not ended, by path: carried on like what stands above. */
  tried: Map<string, CarriedTries>;
  /** Why the run is being cancelled, or null. */
  cancelled: string | null;
  /** It does some items of a foreach of the run that started it. */
  isBatch: boolean;
  /**
   * Of a batch run: what came of its items, and their results in pages; null before they have ended, and of other runs.
   */
  items: BatchEnd | null;
  /** ISO 8601, UTC. */
  startedAt: string;
  /** Told how the run ends, before it does. */
  onEnd: (status: RunEnd) => void;
}

/** Steps that run together: a workflow's own, a foreach's for one item, a loop's in one round. */
export interface Scope extends BindingSource {
  context: RunContext;
  outer: Scope | null;
  /** Path below the root run: of the run, of the item or of the round. */
  path: string;
  /** The steps whose bodies lead here, outermost first, by index. */
  blockPath: number[];
  /** Its one step has the scope's own path (decision 1). */
  single: boolean;
  /** All of its steps need a slot: without one none of them can start, however many are ready. */
  needsSlots: boolean;
  /** Everything that runs in it; cancelled as one. */
  work: CancellationScope;
  /** Steps that a gate may send back while they run, by index. */
  redoable: Map<number, CancellationScope>;
  /** Why `work` was cancelled from within the run, where neither a step of it nor the run's own end says so. */
  reason: string | null;
  /** Pages of results that earlier runs of the chain wrote, and how many of this run's results are in pages. */
  pages: Value[];
  written: number;
}

/** The facts of a run that follow from its start arguments. */
export function identityOf(
  input: RunInput,
): Pick<RunContext, 'plan' | 'nested' | 'root' | 'run' | 'path' | 'input' | 'settings' | 'linkSteps' | 'isBatch'> {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const root = input.root ?? { run: workflowId, first: firstExecutionRunId, plan: input.plan.hash };
  return {
    plan: unpackPlan(input.plan),
    nested: input.batch !== undefined ? input.batch.nested : input.root === null ? null : input.plan.hash,
    root,
    run: workflowId,
    path: input.path,
    input: input.input,
    settings: input.settings,
    linkSteps: input.link_steps,
    isBatch: input.batch !== undefined,
  };
}

/** What holds in a run of when actions wait for a person. */
export function policiesOf({ settings, plan }: Pick<RunContext, 'settings' | 'plan'>): Autonomy[] {
  return [...(settings.autonomy ?? []), ...(plan.autonomy === undefined ? [] : [plan.autonomy])];
}

/** The same for activities that judge calls, and for runs below; nothing where nobody says anything. */
export function autonomyOf(context: Pick<RunContext, 'settings' | 'plan'>): { autonomy?: Autonomy[] } {
  const autonomy = policiesOf(context);
  return autonomy.length === 0 ? {} : { autonomy };
}

/**
 * A Plan as a run below this one is started with: to shorten it takes up to a millisecond, and items may start
 * thousands of runs of one.
 */
export function shortened({ shortPlans }: RunContext, plan: Plan): ShortPlan {
  const short = shortPlans.get(plan.hash) ?? shortPlan(plan);
  shortPlans.set(plan.hash, short);
  return short;
}

/**
 * Gives a run the scope of its own steps, a batch run the one that holds its foreach. Both know each other, so the
 * context is completed in place.
 */
export function withTop(parts: Omit<RunContext, 'top'>, { batch, carried }: RunInput): RunContext {
  const context = parts as RunContext; // `top` is set right below
  const scopes = batch?.scopes ?? [];
  context.top = ownScope(context, scopes.length > 1 ? (scopes[0]?.carried ?? null) : carried);
  for (const [depth, { owner, index, item, last, carried: lent }] of scopes.slice(1).entries()) {
    const step = context.top.schedule.body.steps[owner];
    if (step === undefined || !isBlockStep(step)) throw new Error(`Step ${owner} is no foreach and no loop`);
    const round = { index, item, last: last === null ? null : restoreSchedule(step.body, last) };
    context.top = innerScope(context.top, step, round, depth + 2 === scopes.length ? carried : lent);
  }
  return context;
}

/** The scope of a run's own steps. */
function ownScope(context: RunContext, carried: CarriedScope | null): Scope {
  const { plan, input, path, settings } = context;
  return {
    context,
    agents: plan.agents,
    input,
    unattended: settings.gates === 'fallback',
    outer: null,
    item: null,
    index: null,
    last: null,
    path,
    blockPath: [],
    single: false,
    ...progressOf(plan, carried),
  };
}

/** The scope of one item or one round of a step. */
export function innerScope(
  outer: Scope,
  step: BlockStep,
  round: { index: number; item: Binding | null; last: Scope['last'] },
  carried: CarriedScope | null,
): Scope {
  const { context, agents, input, unattended } = outer;
  return {
    ...round,
    context,
    agents,
    input,
    unattended,
    outer,
    path: joinPath(pathOf(outer, step), String(round.index)),
    blockPath: [...outer.blockPath, step.index],
    single: step.body.single,
    ...progressOf(step.body, carried),
  };
}

/** How far the steps of a scope are: at their start, or where they were carried from (I12). */
function progressOf(
  body: Block,
  carried: CarriedScope | null,
): Pick<Scope, 'schedule' | 'needsSlots' | 'work' | 'redoable' | 'reason' | 'pages' | 'written'> {
  return {
    schedule: restoreSchedule(body, carried),
    needsSlots: body.steps.every(holdsSlot),
    work: new CancellationScope(),
    redoable: new Map(),
    reason: null,
    pages: [...(carried?.pages ?? [])],
    written: 0,
  };
}

/** A step's path below the root run. */
export function pathOf({ single, path }: Scope, step: Step): string {
  return single ? path : joinPath(path, segmentOf(step));
}

/**
 * The gate that a step had opened, as it was shown, before its run continued as new; null when there is none of that
 * kind.
 */
export function carriedGate(scope: Scope, step: Step, kind: Gate['kind']): Gate | null {
  const gate = scope.context.carriedGates.get(pathOf(scope, step));
  return gate?.kind === kind ? gate : null;
}

/**
 * How many tries of a step came before this time of it: none, unless a rejection sent it back. Each time counts from a
 * hundred of its own, more than `retry:` allows, so that no key of a journal is used twice (I8).
 */
export function triesBefore(scope: Scope, step: Pick<Step, 'index'>): number {
  return 100 * timesBefore(scope, step.index);
}

function timesBefore({ schedule, outer, blockPath }: Scope, index: number): number {
  return (outer === null ? 0 : 101 * timesBefore(outer, blockPath.at(-1) ?? 0)) + timesRedone(schedule, index);
}

/** How activities find a step in the Plan. */
export function addressOf({ blockPath }: Scope, step: Step): StepAddress {
  return blockPath.length === 0 ? step.index : [...blockPath, step.index];
}

/** Who calls an activity, as it will know it by itself. `activityId` is null for a local one. */
export function callerOf(activityId: string | null): Caller {
  const { workflowId, runId } = workflowInfo();
  return { workflowId, runId, activityId };
}

/** The model that the submitter chose for a name as definitions write it (`modelKeyOf`). */
export function modelFor(context: RunContext, name: string): ModelChoice {
  const choice = ownOf(context.settings.models, name);
  if (choice === undefined) throw new Error(`The run's settings choose no model for \`${name}\``);
  return choice;
}

/** Keeps which model an agent's step asks: a run may have degraded to another than was chosen for it. */
export function noteModel({ context, schedule }: Scope, step: AgentStep, asked: ModelChoice): void {
  const chosen = ownOf(context.settings.models, modelKeyOf(step, context.plan.agents[step.agent]));
  noteAsked(schedule, step.index, asked, chosen?.model ?? null);
}

/** Why what runs in a scope is cancelled: the run's own end, a step that failed, or a limit. */
export function reasonFor(scope: Scope): string {
  const { cancelled, account } = scope.context;
  if (cancelled !== null) return account.cut ?? 'the run was cancelled';
  const { stopped, body } = scope.schedule;
  const step = stopped === null ? undefined : body.steps[stopped];
  if (step !== undefined)
    return scope.outer === null ? `\`${segmentOf(step)}\` failed and stops the run` : `\`${segmentOf(step)}\` failed`;
  if (scope.reason !== null) return scope.reason;
  return scope.outer === null ? 'the interpreter failed' : reasonFor(scope.outer);
}

/** What a rerun may take over for a step; nothing in a run that is none (decision 14). */
export function reuseOf(
  scope: Scope,
  step: AgentStep | CommandStep | ToolStep,
  path: string,
  byProgram = false,
): { reuse?: Reuse } {
  const {
    plan: { agents },
    settings: { reuse },
    root,
  } = scope.context;
  if (reuse === undefined) return {};
  const again = triesBefore(scope, step) > 0 || scopeAbove(root.first) !== null;
  return { reuse: reuseFor(reuse, { step, path, agents, byProgram, again }) };
}

/** What is going on in this Temporal run, beside what the schedules know. */
export interface RunningSteps {
  /** Runs one step to its end; see `runStep`. */
  runStep: (scope: Scope, step: Step, startedAt: number) => Promise<StepEnd>;
  /**
   * Scopes with steps that have not ended, outer ones and those that began first before others; each with what waits
   * for its end.
   */
  scopes: Map<Scope, () => void>;
  activities: number;
  /** Values being computed by an activity. */
  computing: number;
  /** Nested runs, and those of them that wait for people. */
  children: number;
  waiting: Set<string>;
  /**
   * Activities and nested runs that wait for their turn: they hold nothing, and are carried on like what has not
   * started.
   */
  queued: number;
  /** Waits and pauses between tries. */
  timers: number;
  /** What this run last told the one that started it. */
  reportedWaiting: boolean;
  /** Resolves once that has arrived; null when nothing is under way. */
  telling: Promise<void> | null;
  /** Steps that act or compute and began in this Temporal run: those that go on from the one before are none. */
  started: number;
  /** Steps of items and rounds that ended in this Temporal run. */
  endedBelow: number;
  /**
   * Steps that had ended in this Temporal run before the workflow task that begins at this length of its history, and
   * by now.
   */
  task: { historyLength: number; endedBefore: number; endedByNow: number };
  /** It does not continue as new before so many steps have ended in this Temporal run: it had too much to carry. */
  heldUntil: number;
  /** No more steps are started: the run is about to continue as new, once nested runs have ended or wait for people. */
  draining: boolean;
  /** An error of the interpreter itself; undefined for none. */
  broken: unknown;
  /** Called when there is nothing more to do in this Temporal run. */
  onIdle: () => void;
  isPumping: boolean;
  pumpAgain: boolean;
}

/** How far a running foreach or loop is. It is in the run's context, from where it is carried on (I12). */
export interface Rounds {
  step: BlockStep;
  items: Value | null;
  /** The first item or round that has not started. */
  next: number;
  /** The first item that is not this run's to do, of a batch run. */
  end?: number;
  /** Scopes of the items or rounds that have started and not ended. */
  open: Map<number, Scope>;
  /** The round before, of a loop. */
  last: Schedule | null;
  /**
   * How the last round of a loop ended; null while another may follow. A run may continue as new before the books are
   * closed.
   */
  over: LastRound | null;
  /** What came of those that have ended. */
  counts: RoundCounts;
  spend: Spend;
  /** What ended in this Temporal run; the others stand in `pages`. */
  results: RoundResult[];
  pages: Value[];
  /** Batch runs that were cancelled: what their items came to stands in their records. */
  cancelled: string[];
  /** Why the first of them ended that was ended from outside. */
  broken: Failure | null;
}
