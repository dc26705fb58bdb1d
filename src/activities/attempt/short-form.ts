import { Context } from '@temporalio/activity';
import type { CallHead, Caller, ShortCall } from '../../plan/calls/short-call.js';
import { wholeCall } from '../../plan/calls/short-call.js';
import { shortOutput } from '../../plan/calls/step-output.js';
import type { ShortOutput, StepOutput, Withheld, Working } from '../contract.js';

/** An acting activity whose calls and outputs are as they travel into history. */
export function acceptShortCalls<C extends CallHead>(
  act: (call: C) => Promise<StepOutput>,
): (call: ShortCall<C>) => Promise<ShortOutput> {
  return fromShort(async (call: C) => shortOutput(await act(call)));
}

/** The same of quick steps, which may not come to their end, or not begin. */
export function acceptQuickCalls<C extends CallHead, O extends Working | Withheld>(
  act: (call: C) => Promise<StepOutput | O>,
): (call: ShortCall<C>) => Promise<ShortOutput | O> {
  return fromShort(async (call: C) => {
    const came = await act(call);
    return 'spend' in came ? shortOutput(came) : came;
  });
}

/** An activity that takes calls as they travel into history, and whose answers are short by themselves. */
export function fromShort<C extends CallHead, R>(act: (call: C) => Promise<R>): (call: ShortCall<C>) => Promise<R> {
  return (call) => act(wholeCall(call, caller()));
}

function caller(): Caller {
  const { workflowExecution, activityId, isLocal } = Context.current().info;
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  return { workflowId, runId, activityId: isLocal ? null : activityId };
}
