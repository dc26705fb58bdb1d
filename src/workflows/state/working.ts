import type { RunContext } from './context.js';
import { restrictionsOf } from './account.js';

/** Tells whether something other than a person is waited for. */
export function isWorking({ runningSteps, account }: RunContext): boolean {
  const isPaused = restrictionsOf(account).pause !== null;
  // What waits for its turn in a paused run waits for people as well.
  return (
    runningSteps.activities +
      runningSteps.computing +
      runningSteps.timers +
      runningSteps.children -
      runningSteps.waiting.size -
      (isPaused ? runningSteps.queued : 0) >
    0
  );
}

/** Tells whether nothing is in flight but what waits for people. */
export function waitsForPeople(context: RunContext): boolean {
  const { runningSteps, gates, account } = context;
  return (
    !isWorking(context) && (restrictionsOf(account).pause !== null || gates.open.size + runningSteps.waiting.size > 0)
  );
}
