import { condition } from '@temporalio/workflow';

/**
 * Resolves when everything that follows from what has happened has been done, as far as it waits for nothing: a
 * condition is looked at again only then.
 */
export function settled(): Promise<void> {
  let isLookedAtAgain = false;
  return condition(() => {
    const isOver = isLookedAtAgain;
    isLookedAtAgain = true;
    return isOver;
  });
}
