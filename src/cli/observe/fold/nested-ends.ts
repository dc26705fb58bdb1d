import { failedBelow, failedWorkflows, noFailures } from '../../../plan/outcomes/course.js';
import { endedByOthers, nestedEnd } from '../../../plan/outcomes/step-ends.js';
import { NO_SPEND } from '../../../plan/budget/spend.js';
import type { Carried } from '../../../plan/run-input.js';
import type { StepEnd } from '../../../plan/schedule/schedule-state.js';
import { addFailure } from '../../../plan/schedule/schedule.js';
import type { RunEvent } from '../history/run-event.js';
import type { Spot, Started } from './fold-scope.js';
import { pathIn } from './fold-scope.js';
import { ownOf } from '../../../plan/values/own.js';

/** What the end of a nested run makes of the step, or the call, that started it. */
export function nestedStepEnd({
  run,
  outcome,
  failure,
  cut,
  spent: spend = NO_SPEND,
}: RunEvent & { kind: 'nested-ended' }): StepEnd {
  if (cut !== undefined) return { ...endedByOthers(run, cut), spend };
  return outcome === null
    ? { status: 'error', failure: failure ?? { type: 'internal', message: 'failed' }, run, spend }
    : nestedEnd(run, outcome);
}

/** Keeps what failed in a workflow that a step's agent has started. */
export function keepFailed(started: Started, end: StepEnd): void {
  const told = failedBelow(end);
  if (told !== null) addFailure((started.below ??= noFailures()), told);
}

/** What a step that succeeded says of the workflows that its agent started, also before its run continued as new. */
export function partialOf(
  carried: Pick<Carried, 'conversations'> | null,
  { scope, step }: Spot,
  end: StepEnd,
): { partial?: string } {
  if (step.kind !== 'agent' || end.status !== 'success') return {};
  const own = scope.started.get(step.index)?.below;
  const before = ownOf(carried?.conversations, pathIn(scope, step))?.below;
  if (own === undefined && before === undefined) return {};
  const [one, other] = [before ?? noFailures(), own ?? noFailures()];
  return { partial: failedWorkflows({ count: one.count + other.count, first: [...one.first, ...other.first] }) };
}
