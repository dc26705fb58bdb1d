import type { RunContext } from './context.js';
import { climateOf } from './account.js';

/** Whether something other than a person is waited for. */
export function isWorking({ flight, purse }: RunContext): boolean {
  const isPaused = climateOf(purse).pause !== null;
  // What waits for its turn in a paused run waits for people as well.
  return (
    flight.activities +
      flight.computing +
      flight.timers +
      flight.children -
      flight.waiting.size -
      (isPaused ? flight.queued : 0) >
    0
  );
}

/** Whether nothing is in flight but what waits for people. */
export function waitsForPeople(context: RunContext): boolean {
  const { flight, gates, purse } = context;
  return !isWorking(context) && (climateOf(purse).pause !== null || gates.open.size + flight.waiting.size > 0);
}
