import { stepPathOf } from '../../plan/agents/conversation.js';
import { modelIds } from '../../plan/agents/model-choice.js';
import type { Gate } from '../../plan/gates/gate.js';
import { courseOf } from '../../plan/outcomes/course.js';
import { joinPath } from '../../plan/plan.js';
import type { RoundResult, StepResult } from '../../plan/result.js';
import { branchOf } from '../../plan/worktree.js';
import type { Spend } from '../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';
import { errorOf, resultOf } from '../../plan/schedule/schedule.js';
import type { BlockStep, Step } from '../../plan/step.js';
import { actorOf, modelOf } from '../../plan/references/actor.js';
import { isBlockStep } from '../../plan/step.js';
import type { FoldScope, Started } from './fold/fold-scope.js';
import { innersOf, pathIn } from './fold/fold-scope.js';
import { plannedTasks } from './planned-tasks.js';
import type { RunFold } from './fold/run-fold.js';
import type { RoundView, RunView, StepView } from './view/view.js';
import { isClosed, rootOf, spendOf } from './view/view.js';
import { titled } from './titles.js';
import { endedRound, writtenStep } from './written.js';

/** What the server knows of an activity that has not ended; it is in no event of the history yet (decision 5). */
export interface PendingActivity {
  attempt: number;
  lastFailure: string | null;
  /** What its last heartbeat said. */
  heartbeat: string | null;
}

export interface Assembly {
  /** Folds of the tree by workflow id. */
  folds: ReadonlyMap<string, RunFold>;
  /** Pending activities by path below the root run. */
  pending: ReadonlyMap<string, PendingActivity>;
}

/** The view of a run and of all that is nested in it. */
export function assemble(fold: RunFold, assembly: Assembly): RunView {
  const { run, input, top, outcome } = fold;
  const steps = stepsOf(top, fold, assembly);
  return {
    run,
    path: input.path,
    name: input.plan.name,
    plan: input.plan.hash,
    status: outcome?.status ?? (fold.pause === null ? openStatus(steps) : 'paused'),
    error: outcome?.error ?? null,
    output: outcome?.output ?? null,
    steps,
    groups: input.plan.groups,
    spend: outcome === null || fold.untold ? steps.reduce(addOpenSpend, top.schedule.spend) : outcome.spend,
    budget: fold.budget,
    pause: outcome === null ? fold.pause : null,
    pauses: fold.pauses,
    warnings: fold.warnings,
    rehearsal: input.settings.rehearsal,
    ...(input.root === null ? { journal: fold.first } : {}),
    ...plannedTasks(fold),
    ...startedWith(fold),
    ...chargedIn(fold),
    ...aboutGates(fold),
    submittedBy: input.settings.submitted_by,
    input: input.input,
    startedAt: Date.parse(fold.startedAt),
    endedAt: fold.endedAt === null ? null : Date.parse(fold.endedAt),
    cancelling: fold.cancelling && outcome === null,
  };
}

/** Where its files go, what it was compiled from, and whether it takes over results. */
function startedWith({ run, input: { settings } }: RunFold): Pick<RunView, 'branch' | 'definition' | 'reuses'> {
  return {
    ...(settings.reuse === undefined ? {} : { reuses: true }),
    ...(settings.worktree === undefined ? {} : { branch: branchOf(rootOf(run)) }),
    ...(settings.definition === undefined ? {} : { definition: settings.definition }),
  };
}

function chargedIn({ outcome }: RunFold): Pick<RunView, 'charged'> {
  return outcome?.charged === undefined ? {} : { charged: outcome.charged };
}

/** How gates of a run are decided, and what was decided for all of it. */
function aboutGates({ input, remembered }: RunFold): Pick<RunView, 'requireToken' | 'remembered'> {
  return {
    ...(input.settings.require_token === true ? { requireToken: true } : {}),
    ...(remembered.length === 0 ? {} : { remembered }),
  };
}

/** `waiting` when only people can let it go on. */
function openStatus(steps: StepView[]): 'waiting' | 'running' {
  const running = steps
    .filter(({ status }) => status === 'running')
    .flatMap((step) => (step.nested === null ? [roundsStatus(step.rounds)] : openRunsOf(step)));
  const waits = steps.some(({ status }) => status === 'waiting') || running.includes('waiting');
  return waits && running.every((status) => status === 'waiting') ? 'waiting' : 'running';
}

function openRunsOf({ nested, others }: StepView): RunView['status'][] {
  return [
    ...(nested === null ? [] : [nested.status]),
    ...others.flatMap(({ status }) => (isClosed(status) ? [] : [status])),
  ];
}

function roundsStatus(rounds: RoundView[]): 'waiting' | 'running' {
  const open = rounds.filter(({ status }) => status === 'running' || status === 'waiting');
  return open.length > 0 && open.every(({ status }) => status === 'waiting') ? 'waiting' : 'running';
}

function addOpenSpend(spend: Spend, step: StepView): Spend {
  return step.result === null ? addSpend(spend, spendOf(step)) : spend;
}

function stepsOf(scope: FoldScope, fold: RunFold, assembly: Assembly): StepView[] {
  return scope.schedule.body.steps.map((step) => assembleStep(step, { scope, fold, assembly }));
}

/** What a step is looked up in. */
interface Sources {
  scope: FoldScope;
  fold: RunFold;
  assembly: Assembly;
}

function assembleStep(step: Step, { scope, fold, assembly }: Sources): StepView {
  const path = pathIn(scope, step);
  const result = resultAt({ scope, fold }, step, path);
  const gate = gateOf(fold, path);
  const [nested = null, ...others] = nestedOf(step, `${rootOf(fold.run)}/${path}`, assembly).map((run) =>
    assemble(run, assembly),
  );
  const rounds = isBlockStep(step) ? roundsOf(step, path, { scope, fold, assembly }) : [];
  const status =
    result?.status ?? (gate === null ? (scope.schedule.steps[step.index]?.status ?? 'pending') : 'waiting');
  return {
    path,
    step,
    actor: actorOf(step, fold.input.plan.agents),
    ...titled(step, fold.input.plan.agents, fold.titleTexts),
    model: askedModel(step, result, { scope, fold }),
    status,
    spent: scope.started.get(step.index)?.spent ?? NO_SPEND,
    ...progressOf(scope.started.get(step.index), status === 'running' ? assembly.pending.get(path) : undefined),
    waitsFor: status === 'pending' ? waitsFor(step, { scope, fold, assembly }) : [],
    result,
    gate,
    ...ownerOf(fold, path),
    nested,
    others,
    rounds,
    ...(fold.untold && wasCut(status, nested !== null || rounds.length > 0) ? CUT : {}),
  };
}

/** The model that a step has asked or asks, else the one that was chosen for it. */
function askedModel(
  step: Step,
  result: StepResult | null,
  { scope, fold }: Pick<Sources, 'scope' | 'fold'>,
): string | null {
  const { model } = result ?? scope.schedule.steps[step.index] ?? {};
  return model ?? modelOf(step, fold.input.plan.agents, modelIds(fold.input.settings.models));
}

/** Nobody has written how it ended, or ever will. */
const CUT = { status: 'unknown', result: null, doing: null } as const;

/** Tells whether a step had begun and not ended when its run was ended by others. */
function wasCut(status: StepView['status'], hasBelow: boolean): boolean {
  return status === 'running' || status === 'waiting' || (status === 'skipped' && hasBelow);
}

/**
 * How a step ended. While the run is open, what it wrote before it continued as new tells of steps that are not under
 * way again.
 */
function resultAt(
  { scope: { schedule }, fold }: Pick<Sources, 'scope' | 'fold'>,
  step: Step,
  path: string,
): StepResult | null {
  const known = resultOf(schedule, step.index, fold.input.plan.agents);
  return fold.outcome === null && known === null ? null : (fold.truth.steps.get(path) ?? known);
}

/**
 * The runs that are nested in a step; of those that agents have started in its conversation one that is open is first,
 * else the last.
 */
function nestedOf({ kind }: Step, address: string, { folds }: Assembly): RunFold[] {
  if (kind !== 'agent') return [folds.get(address)].filter((fold) => fold !== undefined);
  const started = [...folds.values()].filter(({ run }) => run.startsWith(`${address}/`) && stepPathOf(run) === address);
  const shown = started.find(({ outcome }) => outcome === null) ?? started.at(-1);
  return shown === undefined ? [] : [shown, ...started.filter((run) => run !== shown)];
}

/** The open gate of a step: its own, or the first of those that ask about calls of its agent. */
function gateOf({ gates }: RunFold, path: string): Gate | null {
  return (
    gates.get(path) ?? [...gates.values()].find((gate) => gate.path !== path && stepPathOf(gate.path) === path) ?? null
  );
}

function ownerOf({ owners }: RunFold, path: string): Pick<StepView, 'owner'> {
  const owner = owners.get(path);
  return owner === undefined ? {} : { owner };
}

/**
 * What the interpreter wrote of the items and rounds: once the run has closed of all, until then of those that ended
 * before it continued as new. Of the others events have told.
 */
function roundsOf(step: BlockStep, path: string, { scope, fold, assembly }: Sources): RoundView[] {
  const inner = innersOf(scope, step);
  const known = new Map(inner.map((round) => [round.index, round]));
  const written = fold.truth.rounds.get(path);
  if (fold.outcome !== null && written !== undefined)
    return written.map((result) => writtenRound({ step, path, result }, known.get(result.index), { fold, assembly }));
  const before = (written ?? [])
    .filter(({ index }) => !known.has(index))
    .map((result) => writtenRound({ step, path, result }, undefined, { fold, assembly }));
  return [...before, ...inner.map((round) => openRound(round, fold, assembly))].sort((a, b) => a.index - b.index);
}

function writtenRound(
  { step, path, result }: { step: BlockStep; path: string; result: RoundResult },
  known: FoldScope | undefined,
  { fold, assembly }: Omit<Sources, 'scope'>,
): RoundView {
  return endedRound(step, joinPath(path, String(result.index)), result, (below) =>
    known === undefined
      ? writtenStep(below, {
          truth: fold.truth,
          agents: fold.input.plan.agents,
          models: modelIds(fold.input.settings.models),
          titleTexts: fold.titleTexts,
        })
      : assembleStep(below.step, { scope: known, fold, assembly }),
  );
}

function openRound(round: FoldScope, fold: RunFold, assembly: Assembly): RoundView {
  const { schedule, path, single, index } = round;
  const steps = stepsOf(round, fold, assembly);
  const ended = schedule.open === 0 ? courseOf(schedule, single) : null;
  return {
    index: index ?? 0,
    path,
    single,
    steps,
    output: null,
    duration_ms: null,
    spend: steps.reduce(addOpenSpend, schedule.spend),
    ...(ended === null
      ? { error: errorOf(schedule), status: fold.untold ? CUT.status : openStatus(steps) }
      : {
          error: ended.error,
          status: ended.status,
          ...(ended.partial === undefined ? {} : { partial: ended.partial }),
        }),
  };
}

function progressOf(
  started: Started | undefined,
  pending: PendingActivity | undefined,
): Pick<StepView, 'startedAt' | 'doing' | 'attempt'> {
  return {
    startedAt: started === undefined ? null : Date.parse(started.at),
    doing: doingOf(started?.lastFailure ?? null, pending),
    attempt: Math.max(started?.tries ?? 1, pending?.attempt ?? 1),
  };
}

function doingOf(lastFailure: string | null, pending: PendingActivity | undefined): string | null {
  if (pending?.heartbeat) return pending.heartbeat;
  const failure = pending?.lastFailure ?? lastFailure;
  return failure === null ? null : `again after: ${failure}`;
}

/** What a step still waits for: its groups by name, other steps by id or actor. */
function waitsFor(step: Step, { scope: { schedule }, fold }: Sources): string[] {
  const names = step.needs.flatMap(({ step: need }) => {
    const needed = schedule.body.steps[need];
    const status = schedule.steps[need]?.status;
    if (needed === undefined || (status !== 'pending' && status !== 'running')) return [];
    return [needed.parallel_group ?? needed.id ?? actorOf(needed, fold.input.plan.agents)];
  });
  return [...new Set(names)];
}
