import { CancellationScope } from '@temporalio/workflow';
import { segmentOf } from '../../plan/plan.js';
import type { Step } from '../../plan/step.js';
import type { RunContext, Scope } from '../state/context.js';
import { pathOf, reasonFor } from '../state/context.js';

/** Notes that a step is cut off because its time is over: what is still open in it is told so. */
export function noteOverdue(scope: Scope, step: Step, late: string): void {
  const { overdue, rounds } = scope.context;
  const path = pathOf(scope, step);
  const why = `\`${segmentOf(step)}\` ${late}`;
  overdue.set(path, why);
  for (const round of rounds.get(path)?.open.values() ?? []) round.reason ??= why;
}

/** Why what a step has started is cancelled. */
export function cutReason(scope: Scope, step: Step): string {
  const { cancelled, overdue } = scope.context;
  if (cancelled !== null) return reasonFor(scope);
  if (scope.schedule.steps[step.index]?.voided) return `\`${segmentOf(step)}\` was sent back`;
  return overdue.get(pathOf(scope, step)) ?? reasonFor(scope);
}

/**
 * Starts a run below and waits for its end. When that is cut off it is told why first: Temporal passes on no reason of
 * a cancellation. Where this run was cancelled by request, so are those below. What is shielded (`finally`) is not cut
 * off: its scope hears of a cancellation all the same.
 */
export async function cutWithReason<T>(
  context: RunContext,
  run: string,
  reason: () => string,
  work: () => Promise<T>,
): Promise<T> {
  const around = CancellationScope.current();
  if (context.settings.tells_cuts !== true || !around.cancellable || around.consideredCancelled) return work();
  let isOpen = true;
  const own = new CancellationScope({ cancellable: true, parent: new CancellationScope({ cancellable: false }) });
  around.cancelRequested.catch(async () => {
    // The next try has the same id, and is not to be told of this one's end.
    if (isOpen && (context.cancelled === null || context.account.cut !== null)) {
      const line = context.account.below.get(run);
      line?.send({ from: context.run, cut: reason() });
      await line?.sent();
    }
    own.cancel();
  });
  try {
    return await own.run(work);
  } finally {
    isOpen = false;
  }
}
