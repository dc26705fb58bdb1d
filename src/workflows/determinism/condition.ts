// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- the one place that counts
import { condition as conditionOfSdk } from '@temporalio/workflow';
import type { Duration } from '@temporalio/common';

/**
 * Conditions that came true after code had waited for them, and looks that `settled` took. They only grow, and are
 * compared with themselves within one activation alone, in which no other run's code runs.
 */
// eslint-disable-next-line no-restricted-syntax -- see above: what other runs add in between is never seen
let cameTrue = 0;
// eslint-disable-next-line no-restricted-syntax -- as above
let looks = 0;

/**
 * Resolves when `isTrue` returns true: with true, or with false when `timeout` is over before. It is the SDK's
 * `condition`, and counted where it had to wait, so that `settled` and `idle` can tell.
 */
export function condition(isTrue: () => boolean): Promise<void>;
export function condition(isTrue: () => boolean, timeout: Duration): Promise<boolean>;
export function condition(isTrue: () => boolean, timeout?: Duration): Promise<void | boolean> {
  let isWaitedFor = false; // The SDK looks once at once: what is true already is no change.
  const look = (): boolean => {
    const found = isTrue();
    if (found && isWaitedFor) cameTrue += 1;
    return found;
  };
  const waiting = timeout === undefined ? conditionOfSdk(look) : conditionOfSdk(look, timeout);
  isWaitedFor = true;
  return waiting;
}

/**
 * Resolves when everything that follows from what has happened has been done, as far as it waits for nothing. The SDK
 * looks at all conditions when nothing else is left to do, and again after what followed from those that came true,
 * until a look finds none. This is over after such a look: it comes to an end wherever the SDK would.
 */
export async function settled(): Promise<void> {
  for (let before = -1; before !== cameTrue;) {
    before = cameTrue;
    await nextLook(() => {
      looks += 1;
    });
  }
}

/** Resolves when the run is settled, and what waited for that in `settled` has gone on and is settled as well. */
export async function idle(): Promise<void> {
  for (let before = -1; before !== cameTrue + looks;) {
    before = cameTrue + looks;
    await nextLook(() => undefined);
  }
}

/** Resolves in the next look, in which it calls `onLook`. The first is at once. */
function nextLook(onLook: () => void): Promise<void> {
  let isLookedAtAgain = false;
  return conditionOfSdk(() => {
    if (isLookedAtAgain) onLook();
    const isNext = isLookedAtAgain;
    isLookedAtAgain = true;
    return isNext;
  });
}
