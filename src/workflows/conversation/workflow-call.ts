import { isCancellation } from '@temporalio/workflow';
import { condition } from '../determinism/condition.js';
import type { CallEnd, Conversation, StartedWorkflow } from '../../plan/agents/conversation.js';
import { failedBelow, noFailures } from '../../plan/outcomes/course.js';
import { unpackPlan } from '../../plan/packing/packed-plan.js';
import { addSpend } from '../../plan/budget/spend.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import { addFailure } from '../../plan/schedule/schedule.js';
import { shortValue } from '../../plan/packing/short-value.js';
import { failureFrom, spendIn } from '../failures.js';
import { startReady } from '../running/step-runner.js';
import { hasRoomForNested } from '../state/running-steps.js';
import { restrictionsOf } from '../state/account.js';
import { startNested } from '../running/nested-run.js';
import { aside } from './slot.js';
import type { OneCall } from './conversation-state.js';
import { callPath, callTry, releaseSpare } from './conversation-state.js';

/**
 * A workflow that was made in this run, as a nested run of the call that starts it. The conversation has no slot and no
 * time meanwhile: the nested run has its own, of the same budget.
 */
export async function callWorkflow(one: OneCall, started: StartedWorkflow): Promise<CallEnd> {
  const {
    conversation,
    conversation: {
      slot,
      slot: {
        scope: {
          context: { runningSteps, account },
        },
      },
    },
    lane,
  } = one;
  const { stop } = restrictionsOf(account);
  if (stop !== null) return { unmade: `The workflow was not started: ${stop.message}` };
  releaseSpare(conversation, lane);
  return aside(slot, async () => {
    // A run that is about to continue as new makes the call in the next one.
    while (runningSteps.draining || !hasRoomForNested(runningSteps))
      await condition(() => !runningSteps.draining && hasRoomForNested(runningSteps));
    return runBeside(one, started);
  });
}

async function runBeside(one: OneCall, started: StartedWorkflow): Promise<CallEnd> {
  const {
    conversation: {
      slot,
      slot: {
        scope: { context },
        top,
      },
      state,
    },
    index,
  } = one;
  const { runningSteps } = context;
  runningSteps.children += 1;
  startReady(context);
  try {
    const end = await nestedEnd(one, started);
    slot.top.spend = addSpend(top.spend, { ...(end.spend ?? { usd: 0, tokens: 0 }), steps: 0 });
    keepFailure(top, end);
    // Before the run may continue as new: what has ended is never started again.
    return (state.ends[index] = endOfCall(end));
  } finally {
    runningSteps.children -= 1;
  }
}

/** How the nested run ended; what cannot be started is told as well. Throws only a cancellation. */
async function nestedEnd(
  {
    conversation,
    conversation: {
      slot,
      slot: { scope, step },
    },
    index,
  }: OneCall,
  { plan: packed, inputs }: StartedWorkflow,
): Promise<StepEnd> {
  const plan = unpackPlan(packed);
  const path = callPath(conversation, index);
  try {
    return await startNested(scope, step, {
      plan,
      inputs,
      path,
      tried: callTry(slot),
      root: { ...scope.context.root, plan: plan.hash, made: true },
    });
  } catch (error) {
    if (isCancellation(error)) {
      slot.top.spend = addSpend(slot.top.spend, { ...spendIn(error), steps: 0 });
      throw error;
    }
    return { status: 'error', failure: failureFrom(error) };
  }
}

function keepFailure(top: Conversation, end: StepEnd): void {
  const told = failedBelow(end);
  if (told !== null) addFailure((top.below ??= noFailures()), told);
}

function endOfCall(end: StepEnd): CallEnd {
  if ('failure' in end) return { unmade: `The workflow failed: ${end.failure.message}` };
  const { output, partial } = { output: null, partial: undefined, ...end };
  return { answer: shortValue(output ?? { value: null }), ...(partial === undefined ? {} : { partial }) };
}
