import { countedOnce } from '../../plan/outcomes/step-ends.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import { endStep, isEnd } from '../../plan/schedule/schedule.js';
import { partialOf } from './nested-ends.js';
import { blockEnd } from './block-ends.js';
import type { FoldScope, Spot } from './fold-scope.js';
import { countOf, innersOf } from './fold-scope.js';
import type { RunFold } from './run-fold.js';

/** Ends a step, once, with what its tries have spent; the foreach around it ends with its last item. */
export function end(fold: RunFold, spot: Spot | null, at: string, stepEnd: StepEnd): void {
  if (spot === null || isEnded(spot)) return;
  const { scope, step } = spot;
  const started = scope.started.get(step.index);
  const duration_ms = started === undefined ? 0 : Math.max(0, Date.parse(at) - Date.parse(started.at));
  const spend = countedOnce(
    step,
    started?.tries ?? (stepEnd.status === 'skipped' ? 0 : 1),
    addSpend(started?.spent ?? NO_SPEND, stepEnd.spend ?? NO_SPEND),
  );
  endStep(scope.schedule, step.index, {
    duration_ms,
    attempts: started?.tries ?? 1,
    ...stepEnd,
    ...partialOf(fold.input.carried, spot, stepEnd),
    spend,
  });
  endAround(fold, scope, at);
}

/** Ends a step; one that commits and ended well ends when its commit is there. */
export function endOrCommit(fold: RunFold, spot: Spot | null, at: string, stepEnd: StepEnd): void {
  const started = spot?.scope.started.get(spot.step.index);
  if (spot === null || started === undefined || stepEnd.status !== 'success' || !commits(fold, spot))
    return end(fold, spot, at, stepEnd);
  started.uncommitted = stepEnd;
}

/** Ends a step that has committed. */
export function endCommitted(fold: RunFold, spot: Spot | null, at: string): void {
  const uncommitted = spot?.scope.started.get(spot.step.index)?.uncommitted;
  if (uncommitted !== undefined) end(fold, spot, at, uncommitted);
}

/** As `committerOf` of the interpreter has it: of steps inside each other the outermost commits. */
function commits({ input: { settings } }: RunFold, { scope, step }: Spot): boolean {
  if (step.commit === undefined || settings.worktree === undefined || settings.worktree.within === true) return false;
  for (let around = scope; around.outer !== null; around = around.outer)
    if (around.owner?.commit !== undefined) return false;
  return true;
}

/** A foreach whose items are known to have ended all has ended; whether a loop goes on, what comes next tells. */
function endAround(fold: RunFold, { outer, owner, schedule }: FoldScope, at: string): void {
  if (outer === null || owner?.kind !== 'foreach' || schedule.open > 0) return;
  const known = (outer.before.get(owner.index)?.counts.done ?? 0) + (outer.inner.get(owner.index)?.size ?? 0);
  if (known !== countOf(outer, owner.items)) return;
  if (innersOf(outer, owner).every((item) => item.schedule.open === 0))
    end(fold, { scope: outer, step: owner }, at, blockEnd(outer, owner));
}

export function isEnded({ scope, step }: Spot): boolean {
  return isEnd(scope.schedule.steps[step.index]?.status ?? 'pending');
}
