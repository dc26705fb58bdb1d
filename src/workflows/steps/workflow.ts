import { ChildWorkflowCancellationType, ParentClosePolicy, executeChild } from '@temporalio/workflow';
import { nestedEnd } from '../../plan/ends.js';
import { INTERPRETER, MEMO } from '../../plan/names.js';
import { packPlan } from '../../plan/pack.js';
import { nestedPlan, segmentOf } from '../../plan/plan.js';
import type { RunOutcome } from '../../plan/result.js';
import type { RunInput } from '../../plan/run-input.js';
import { UNLIMITED } from '../../plan/run-input.js';
import type { StepEnd } from '../../plan/schedule.js';
import type { WorkflowStep } from '../../plan/step.js';
import type { RunContext } from '../context.js';
import { pathOf } from '../context.js';
import { outcomeIn } from '../failures.js';
import { nestedInputs } from '../values.js';

/** A nested workflow: a child workflow of the same interpreter (decision 1). Throws what is not the nested run's own end. */
export async function runNested(context: RunContext, step: WorkflowStep, tried: number): Promise<StepEnd> {
  const path = pathOf(context, step);
  const run = `${context.run}/${segmentOf(step)}`;
  const input: RunInput = {
    plan: packPlan(nestedPlan(context.plan, step.plan)),
    input: await nestedInputs(context, step),
    root: { ...context.root, first: tried === 1 ? context.root.first : `${context.root.first} ${path} ${tried}` },
    path,
    lease: UNLIMITED,
    settings: context.settings,
    carried: null,
  };
  try {
    const outcome = await executeChild<(input: RunInput) => Promise<RunOutcome>>(INTERPRETER, {
      workflowId: run,
      args: [input],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      staticSummary: `${segmentOf(step)}: ${step.workflow}`,
      memo: { [MEMO.definition]: step.workflow, [MEMO.plan]: step.plan },
    });
    return nestedEnd(run, outcome);
  } catch (error) {
    const outcome = outcomeIn(error);
    if (outcome === null) throw error;
    return nestedEnd(run, outcome);
  }
}
