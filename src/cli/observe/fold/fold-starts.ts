import { startStep } from '../../../plan/schedule/schedule.js';
import { isBlockStep } from '../../../plan/step.js';
import type { FoldScope, Spot } from './fold-scope.js';
import { innersOf, pathIn, spentBefore } from './fold-scope.js';
import { nextTry } from './gate-ends.js';
import type { RunFold } from './run-fold.js';
import { isEnded } from './fold-ends.js';
import { inferEnd, inferAll } from './infer-ends.js';

/** Starts a step, or another try of it; what it needed is over, and what stands around it runs. */
export function start(fold: RunFold, spot: Spot | null, at: string): void {
  if (spot === null || isEnded(spot)) return;
  const { scope, step } = spot;
  startAround(fold, scope, at);
  for (const { step: need } of step.needs) inferEnd(fold, scope, need, at);
  const before = scope.started.get(step.index);
  if (before === undefined || scope.schedule.steps[step.index]?.status === 'pending')
    startStep(scope.schedule, step.index);
  // A gate that is shown again has not started again.
  if ((step.kind === 'approval' || step.kind === 'ask' || isBlockStep(step)) && before !== undefined) return;
  scope.started.set(step.index, nextTry(before, at, spentBefore(fold.input, pathIn(scope, step))));
}

/** What starts in an item or a round says that its step runs, and that the rounds before are over. */
function startAround(fold: RunFold, { outer, owner, index }: FoldScope, at: string): void {
  if (outer === null || owner === null) return;
  start(fold, { scope: outer, step: owner }, at);
  if (owner.kind === 'loop')
    for (const round of innersOf(outer, owner)) if ((round.index ?? 0) < (index ?? 0)) inferAll(fold, round, at);
}
