import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import type { StepCall, Working } from '../../activities/contract.js';
import { shortCall } from '../../plan/calls/short-call.js';
import { quick } from '../activities.js';
import { toldSpend } from '../failures.js';
import { callerOf } from '../state/context.js';

/**
 * What a quick step, or a turn, came to within its workflow task; or what the usual activity, which goes on with it,
 * came to. The call's path is the name by which it has begun.
 */
export function orGoOn<R extends object>(
  begun: Promise<R | Working>,
  goOn: () => Promise<R>,
  call: StepCall,
): Promise<R> {
  return begun.then((came) => ('working' in came ? goOn().catch(endBegun(call)) : came));
}

/** A run that was cancelled before the activity had begun: nobody else ends what goes on, and says what it spent. */
function endBegun(call: StepCall): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!isCancellation(error) || toldSpend(error) !== null) throw error;
    const { root, nested, step, path, try: tried } = call;
    const begun = { root, nested, step, path, try: tried, environment: {} };
    const { spend } = await CancellationScope.nonCancellable(() => quick.endBegun(shortCall(begun, callerOf(null))));
    throw spend === null ? error : new CancelledFailure('The step was cancelled.', [spend]);
  };
}
