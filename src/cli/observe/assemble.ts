import type { Gate } from '../../plan/gate.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import type { RunStatus, Spend } from '../../plan/result.js';
import { addSpend } from '../../plan/result.js';
import { resultOf } from '../../plan/schedule.js';
import type { Step } from '../../plan/step.js';
import { actorOf } from '../../plan/step.js';
import type { RunFold, Started } from './fold.js';
import type { RunView, StepView } from './view.js';

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
  const { run, input, schedule, outcome } = fold;
  const steps = input.plan.steps.map((step) => assembleStep(step, fold, assembly));
  return {
    run,
    path: input.path,
    name: input.plan.name,
    plan: input.plan.hash,
    status: outcome?.status ?? openStatus(steps),
    error: outcome?.error ?? null,
    output: outcome?.output ?? null,
    steps,
    groups: input.plan.groups,
    spend: outcome?.spend ?? steps.reduce(addOpenSpend, schedule.spend),
    budget: input.settings.budget,
    rehearsal: input.settings.rehearsal,
    submittedBy: input.settings.submitted_by,
    input: input.input,
    startedAt: Date.parse(fold.startedAt),
    endedAt: fold.endedAt === null ? null : Date.parse(fold.endedAt),
    cancelling: fold.cancelling && outcome === null,
  };
}

/** `waiting` when only people can let it go on. */
function openStatus(steps: StepView[]): RunStatus {
  const going = steps.filter(({ status, nested }) => status === 'running' && nested?.status !== 'waiting');
  const waits = steps.some(({ status, nested }) => status === 'waiting' || nested?.status === 'waiting');
  return waits && going.length === 0 ? 'waiting' : 'running';
}

/** A nested run's spend counts from the moment it is spent, not only when its step ends. */
function addOpenSpend(spend: Spend, { result, nested }: StepView): Spend {
  return result === null && nested !== null ? addSpend(spend, nested.spend) : spend;
}

function assembleStep(step: Step, fold: RunFold, assembly: Assembly): StepView {
  const { input } = fold;
  const path = joinPath(input.path, segmentOf(step));
  const result = fold.results.get(step.index) ?? resultOf(fold.schedule, step.index, input.plan.agents);
  const gate = fold.gates.find((open) => open.path === path) ?? null;
  const nested = assembly.folds.get(`${fold.run}/${segmentOf(step)}`);
  const status = result?.status ?? statusOf(step, gate, fold);
  return {
    path,
    step,
    actor: actorOf(step, input.plan.agents),
    model: modelOf(step, fold),
    status,
    ...progressOf(fold.started.get(step.index), status === 'running' ? assembly.pending.get(path) : undefined),
    waitsFor: status === 'pending' ? waitsFor(step, fold) : [],
    result,
    gate,
    nested: nested === undefined ? null : assemble(nested, assembly),
  };
}

function statusOf({ index }: Step, gate: Gate | null, { schedule }: RunFold): StepView['status'] {
  return gate === null ? (schedule.steps[index]?.status ?? 'pending') : 'waiting';
}

function progressOf(started: Started | undefined, pending: PendingActivity | undefined): Pick<StepView, 'startedAt' | 'doing' | 'attempt'> {
  return {
    startedAt: started === undefined ? null : Date.parse(started.at),
    doing: doingOf(started?.lastFailure ?? null, pending),
    attempt: Math.max(started?.tries ?? 1, pending?.attempt ?? 1),
  };
}

function modelOf(step: Step, { input }: RunFold): string | null {
  if (step.kind !== 'agent') return null;
  const name = step.model ?? input.plan.agents[step.agent]?.model ?? '';
  const choice = input.settings.models[name];
  // A rehearsal calls no model: to name one would be a lie.
  return choice === undefined || choice.provider === 'rehearsal' ? null : choice.model;
}

function doingOf(lastFailure: string | null, pending: PendingActivity | undefined): string | null {
  if (pending?.heartbeat) return pending.heartbeat;
  const failure = pending?.lastFailure ?? lastFailure;
  return failure === null ? null : `again after: ${failure}`;
}

/** What a step still waits for: its groups by name, other steps by id or actor. */
function waitsFor(step: Step, { input, schedule }: RunFold): string[] {
  const names = step.needs.flatMap(({ step: need }) => {
    const needed = input.plan.steps[need];
    const status = schedule.steps[need]?.status;
    if (needed === undefined || (status !== 'pending' && status !== 'running')) return [];
    return [needed.parallel_group ?? needed.id ?? actorOf(needed, input.plan.agents)];
  });
  return [...new Set(names)];
}
