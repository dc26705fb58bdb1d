import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Step } from '../../plan/step.js';
import { isPassing } from '../../store/store-failure.js';
import { heartbeatWait } from './heartbeat.js';
import { activityKey, endingSignal } from './single-start.js';

/** How long what waits by itself waits between two looks at the disk. */
const LOOK_MS = 500;

/** What is done and could not be written down, by activity: as long as this worker lives, it is only written. */
const left = new Map<string, () => Promise<unknown>>();

/**
 * Writes down what was done. Where the disk takes nothing now, Temporal starts the activity again until it does, and
 * that start writes what this one has left: nothing is done twice.
 */
export async function writeDown<R>(step: Step, write: () => Promise<R>): Promise<R> {
  const key = activityKey(Context.current());
  try {
    const written = await whenThereIsRoom(step, write);
    left.delete(key);
    return written;
  } catch (error) {
    if (isPassing(error)) left.set(key, () => writeDown(step, write));
    throw error;
  }
}

/** What an earlier start of this activity has done and could not write down; null where there is nothing. */
export function leftToWrite<R>(): (() => Promise<R>) | null {
  // left by the same activity
  return (left.get(activityKey(Context.current())) as (() => Promise<R>) | undefined) ?? null;
}

/**
 * An activity with an external effect is started once only (decision 13): it tries by itself to write, until it can,
 * and says meanwhile what it waits for. For others, once.
 */
export async function whenThereIsRoom<R>({ effect }: Step, write: () => Promise<R>): Promise<R> {
  const context = Context.current();
  try {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (effect !== 'external' || !isPassing(error)) throw error;
        heartbeatWait(context, error.message);
        await pause(LOOK_MS, undefined, { signal: endingSignal(context) });
      }
    }
  } finally {
    heartbeatWait(context, null);
  }
}
