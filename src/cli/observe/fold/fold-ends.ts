import { countedOnce } from '../../../plan/outcomes/step-ends.js';
import { addSpend, NO_SPEND } from '../../../plan/budget/spend.js';
import type { StepEnd } from '../../../plan/schedule/schedule-state.js';
import { endStep, isEnd } from '../../../plan/schedule/schedule.js';
import { partialOf } from './nested-ends.js';
import { isLast } from './block-ends.js';
import type { FoldScope, Spot } from './fold-scope.js';
import { countOf, innersOf } from './fold-scope.js';
import { blockEndInTime, endInTime } from './late-ends.js';
import type { RunFold } from './run-fold.js';
import { silentEnd } from './silent-ends.js';

/**
 * Ends a step, once, with what its tries have spent. In an item or a round so end the steps after it that leave no
 * event, and what is around them: nothing else would tell that it does not run any more.
 */
export function end(fold: RunFold, spot: Spot | null, at: string, stepEnd: StepEnd): void {
  if (spot === null || isEnded(spot)) return;
  endOne(fold, spot, at, endInTime(fold, spot, at, stepEnd));
  const { scope } = spot;
  if (scope.outer === null) return;
  const ended = [spot.step.index];
  for (const index of ended)
    for (const { step: next } of scope.schedule.dependents[index] ?? []) {
      const step = scope.schedule.body.steps[next];
      const silent = step === undefined || !scope.schedule.ready.has(next) ? null : silentEnd(scope, step);
      if (step === undefined || silent === null) continue;
      endOne(fold, { scope, step }, at, silent);
      ended.push(next);
    }
  endAround(fold, scope, at);
}

function endOne(fold: RunFold, { scope, step }: Spot, at: string, stepEnd: StepEnd): void {
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
    ...partialOf(fold.input.carried, { scope, step }, stepEnd),
    spend,
  });
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

/**
 * A foreach whose items are known to have ended all has ended, and a loop with the round that surely is its last; else
 * what comes next tells.
 */
function endAround(fold: RunFold, round: FoldScope, at: string): void {
  const { outer, owner, schedule } = round;
  if (outer === null || owner === null || schedule.open > 0) return;
  if (owner.kind === 'loop') {
    if (round === innersOf(outer, owner).at(-1) && isLast(owner, round))
      end(fold, { scope: outer, step: owner }, at, blockEndInTime(fold, outer, owner));
    return;
  }
  const known = (outer.before.get(owner.index)?.counts.done ?? 0) + (outer.inner.get(owner.index)?.size ?? 0);
  if (known !== countOf(outer, owner.items)) return;
  if (innersOf(outer, owner).every((item) => item.schedule.open === 0))
    end(fold, { scope: outer, step: owner }, at, blockEndInTime(fold, outer, owner));
}

export function isEnded({ scope, step }: Spot): boolean {
  return isEnd(scope.schedule.steps[step.index]?.status ?? 'pending');
}
