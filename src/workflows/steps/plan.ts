import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities, PreparedPlan } from '../../activities/contract.js';
import { gateEnd, unattendedEnd } from '../../plan/outcomes/step-ends.js';
import type { Gate } from '../../plan/gates/gate.js';
import { unpackPlan } from '../../plan/packing/packed-plan.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import { treeActivityId } from '../../plan/names.js';
import { segmentOf } from '../../plan/plan.js';
import type { PlanStep } from '../../plan/step.js';
import { templatesOf } from '../../plan/references/step-references.js';
import { RETRY, quick, shortName } from '../activities.js';
import type { RunContext, Scope } from '../state/context.js';
import { addressOf, pathOf } from '../state/context.js';
import { awaitDecision } from '../gates/gate-book.js';
import { environmentOf, renderedValues } from '../state/values.js';
import { startNested } from '../running/nested-run.js';
import { startReady } from '../running/step-runner.js';

/**
 * Compiling takes a moment on an idle machine and longer than a workflow task on a busy one: a task that waits for it
 * is given up and begun anew, without end.
 */
const apart = proxyActivities<Activities>({
  startToCloseTimeout: '2m',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRY,
});

/**
 * A workflow that was made in this run: compiled by the rules for such, approved as exactly that, then a nested run.
 */
export async function runPlan(scope: Scope, step: PlanStep, tried: number): Promise<StepEnd> {
  const { context } = scope;
  const inputs = await renderedValues(scope, step, step.inputs);
  const prepared = await prepare(scope, step, tried, [...Object.keys(inputs), ...Object.keys(context.input)]);
  const refused = await ask(scope, prepared);
  if (refused !== null) return refused;
  const plan = unpackPlan(prepared.plan);
  const wanted = Object.entries(context.input).filter(([name]) => Object.hasOwn(plan.inputs, name));
  context.runningSteps.children += 1;
  try {
    return await startNested(scope, step, {
      plan,
      tried,
      inputs: { ...prepared.defaults, ...Object.fromEntries(wanted), ...inputs },
      root: { ...context.root, plan: plan.hash, made: true },
    });
  } finally {
    context.runningSteps.children -= 1;
  }
}

async function prepare(scope: Scope, step: PlanStep, tried: number, given: string[]): Promise<PreparedPlan> {
  const { root, nested, settings, carriedGates } = scope.context;
  const path = pathOf(scope, step);
  const since = carriedGates.get(path)?.since ?? new Date().toISOString();
  const environment = environmentOf(scope, templatesOf(step));
  const call = {
    root,
    nested,
    step: addressOf(scope, step),
    path,
    try: tried,
    environment,
    since,
    workspace: settings.worktree?.project ?? settings.workspace,
    models: Object.keys(settings.models),
    given: [...new Set(given)],
  };
  if (settings.compiles_apart !== true) return quick.preparePlan(call);
  // It is no try of the step.
  const activityId = shortName(treeActivityId('make', path, tried));
  const { runningSteps } = scope.context;
  runningSteps.computing += 1;
  try {
    return await apart.preparePlan.executeWithOptions({ activityId, summary: `${segmentOf(step)}: compile` }, [call]);
  } finally {
    runningSteps.computing -= 1;
    startReady(scope.context);
  }
}

/** Null when it may start. */
async function ask(
  { context }: Scope,
  { plan: _plan, defaults: _defaults, ...gate }: PreparedPlan,
): Promise<StepEnd | null> {
  if (gate.hash === undefined) return null;
  if (!isStillAsked(context, gate)) context.gates.decided.delete(gate.path);
  const end =
    unattendedEnd(gate, context.settings) ??
    gateEnd(await awaitDecision(context.gates, gate, () => mayNest(context)), gate);
  return end.status === 'success' ? null : end;
}

/** Tells whether it was decided in the moment in which the run continued as new. */
function isStillAsked(
  { gates: { carried, decided } }: RunContext,
  { path, hash }: Pick<Gate, 'path' | 'hash'>,
): boolean {
  return decided.has(path) && carried.get(path)?.hash === hash;
}

/**
 * A nested run that is started while its run is about to continue as new would be cancelled with it: children do not
 * travel (I12).
 */
function mayNest({ runningSteps, account }: RunContext): boolean {
  return !runningSteps.draining && !account.isLeaving;
}
