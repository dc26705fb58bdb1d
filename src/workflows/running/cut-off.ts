import { CancellationScope, ChildWorkflowCancellationType, ParentClosePolicy, startChild } from '@temporalio/workflow';
import { INTERPRETER, MEMO } from '../../plan/names.js';
import type { Plan } from '../../plan/plan.js';
import { segmentOf } from '../../plan/plan.js';
import type { RunOutcome } from '../../plan/result.js';
import type { RunInput } from '../../plan/run-input.js';
import type { Step } from '../../plan/step.js';
import { shortName } from '../activities.js';
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

/** A run below, of the same interpreter. */
interface RunBelow {
  run: string;
  input: RunInput;
  /** The Plan of its steps. */
  plan: Pick<Plan, 'name' | 'hash'>;
  summary: string;
  /** Why it is cut off, when that is so. */
  reason: () => string;
  onStart: () => void;
}

/** Runs it as a child workflow to its end. When it is cut off it is told why. */
export function runBelow(
  context: RunContext,
  { run, input, plan, summary, reason, onStart }: RunBelow,
): Promise<RunOutcome> {
  return cutWithReason(context, run, reason, async () => {
    const child = await startChild<(input: RunInput) => Promise<RunOutcome>>(INTERPRETER, {
      workflowId: shortName(run),
      args: [input],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      staticSummary: summary,
      memo: { [MEMO.definition]: plan.name, [MEMO.plan]: plan.hash },
    });
    onStart();
    return child.result();
  });
}

/**
 * Waits for the end of a run below. When that is cut off it is told why first: Temporal passes on no reason of
 * a cancellation. Where this run was cancelled by request, so are those below. What is shielded (`finally`) is not cut
 * off: its scope hears of a cancellation all the same.
 */
async function cutWithReason<T>(
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
