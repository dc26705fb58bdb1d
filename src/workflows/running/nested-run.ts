import { CancelledFailure } from '@temporalio/common';
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { nestedEnd, endedByOthers } from '../../plan/outcomes/step-ends.js';
import { scopeOfTry } from '../../plan/calls/journal-scope.js';
import type { Plan } from '../../plan/plan.js';
import { segmentOf } from '../../plan/plan.js';
import type { RunOutcome } from '../../plan/result.js';
import type { Spend } from '../../plan/budget/spend.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import type { RootLink, RunInput, RunSettings } from '../../plan/run-input.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { WorkflowStep, PlanStep, AgentStep, Step } from '../../plan/step.js';
import type { SpentCall } from '../../activities/contract.js';
import { quick } from '../activities.js';
import type { Scope } from '../state/context.js';
import { autonomyOf, pathOf, shortened } from '../state/context.js';
import { committerOf, workspaceOf } from '../state/own-workspace.js';
import { outcomeIn, cutOff } from '../failures.js';
import { lendTo, collectFrom } from '../budget/reserve.js';
import { restrictionsOf } from '../state/account.js';
import { cutReason, runBelow } from './cut-off.js';
import { passedFault } from '../../plan/values/input-type.js';
import type { Value } from '../../plan/values/value.js';
import { ownOf } from '../../plan/values/own.js';

/** Starts a nested run for a step and waits for its end. */
export async function startNested(
  scope: Scope,
  step: WorkflowStep | PlanStep | AgentStep,
  { plan, inputs, tried, root, path = pathOf(scope, step) }: Nested,
): Promise<StepEnd> {
  const { context } = scope;
  const fault = inputFault(plan, inputs);
  if (fault !== null) return { status: 'error', failure: { type: 'value-invalid', message: fault } };
  const run = `${context.root.run}/${path}`;
  let outcome: RunOutcome | null = NOT_STARTED;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const ownRoot = { ...root, first: scopeOfTry(root.first, path, tried) };
  const input: RunInput = {
    plan: shortened(context, plan),
    input: inputs,
    root: ownRoot,
    path,
    lease: lendTo(context, run, plan, opened),
    tree: { parent: context.run, climate: restrictionsOf(context.account) },
    settings: settingsBelow(scope, step),
    link_steps: context.linkSteps,
    carried: null,
  };
  try {
    outcome = await runBelow(context, {
      run,
      input,
      plan,
      summary: `${segmentOf(step)}: ${plan.name}`,
      reason: () => cutReason(scope, step),
      onStart: () => {
        outcome = null;
        open();
      },
    });
    return nestedEnd(run, outcome);
  } catch (error) {
    // One that was cancelled has given back what it did not use, and says no more.
    outcome = outcomeIn(error) ?? outcome;
    if (outcome !== null && outcome !== NOT_STARTED) return nestedEnd(run, outcome);
    const how = CancellationScope.current().consideredCancelled ? null : cutOff(error);
    const spend = context.account.left.get(run)?.spend ?? (await spentBy(error, { root: ownRoot, path }));
    if (how !== null) return { ...endedByOthers(run, how), spend };
    // As an activity that is cancelled says what it has cost.
    throw isCancellation(error) ? new CancelledFailure('cancelled', [spend]) : error;
  } finally {
    context.runningSteps.waiting.delete(run);
    collectFrom(context, run, outcome);
  }
}

/** What a run has spent that was terminated, by the journal: it could not say so. Nothing for other ends. */
export async function spentBy(error: unknown, call: SpentCall): Promise<Spend> {
  if (cutOff(error) !== 'terminated') return NO_SPEND;
  return CancellationScope.nonCancellable(() => quick.spentBelow(call));
}

/** What is wrong with the first input that is not of its declared type; null where all are. */
function inputFault(plan: Plan, inputs: Record<string, Value>): string | null {
  for (const [name, { type }] of Object.entries(plan.inputs)) {
    const value = ownOf(inputs, name);
    const fault = value === undefined ? null : passedFault(name, value, type);
    if (fault !== null) return `${fault.slice(0, -1)} (workflow \`${plan.name}\`).`;
  }
  return null;
}

/**
 * A nested run works where its step does; inside of a step that commits its own steps do not. It waits for people
 * wherever this run would.
 */
function settingsBelow(scope: Scope, step: Step): RunSettings {
  const settings = { ...scope.context.settings, ...autonomyOf(scope.context) };
  if (settings.worktree === undefined || committerOf(scope, step) === null) return settings;
  return { ...settings, workspace: workspaceOf(scope, step), worktree: { ...settings.worktree, within: true } };
}

/** What a nested run is started with. */
export interface Nested {
  plan: Plan;
  inputs: Record<string, Value>;
  tried: number;
  /** Its path, where that is not the step's. */
  path?: string;
  /** Its activities find their steps in the Plan that this names. */
  root: RootLink;
}

/** What a nested run has used that could not be started. */
export const NOT_STARTED: RunOutcome = {
  status: 'cancelled',
  error: null,
  output: null,
  spend: NO_SPEND,
  pages: [],
  charged: { usd: 0, tokens: 0, steps: 0 },
};
