import { Context } from '@temporalio/activity';
import type { CallHead, Caller, ShortCall } from '../../plan/calls/short-call.js';
import { isWhole, wholeCall } from '../../plan/calls/short-call.js';
import { shortOutput } from '../../plan/calls/step-output.js';
import type { ShortOutput, StepOutput } from '../contract.js';

interface ShortCalls<C extends CallHead> {
  (call: C): Promise<StepOutput>;
  (call: ShortCall<C>): Promise<ShortOutput>;
}

/** An acting activity that takes calls as they travel into history, and answers in the form in which it was asked. */
export function acceptShortCalls<C extends CallHead>(act: (call: C) => Promise<StepOutput>): ShortCalls<C> {
  async function answer(call: C): Promise<StepOutput>;
  async function answer(call: ShortCall<C>): Promise<ShortOutput>;
  async function answer(call: C | ShortCall<C>): Promise<StepOutput | ShortOutput> {
    return isWhole(call) ? act(call) : shortOutput(await act(wholeCall(call, caller())));
  }
  return answer;
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
