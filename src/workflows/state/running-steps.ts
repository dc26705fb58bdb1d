import { sleep } from '@temporalio/workflow';
import type { RunningSteps } from './context.js';

/** The running steps of a run that has started none yet. */
export function createRunningSteps(runStep: RunningSteps['runStep'], toldWaiting: boolean): RunningSteps {
  return {
    runStep,
    scopes: new Map(),
    activities: 0,
    computing: 0,
    children: 0,
    waiting: new Set(),
    queued: 0,
    timers: 0,
    reportedWaiting: toldWaiting,
    telling: null,
    started: 0,
    endedBelow: 0,
    task: { historyLength: 0, endedBefore: 0, endedByNow: 0 },
    heldUntil: 0,
    draining: false,
    broken: undefined,
    onIdle: () => undefined,
    isPumping: false,
    pumpAgain: false,
  };
}

/** Tells whether one more nested run may be started (I11). */
export function hasRoomForNested({ children, waiting }: RunningSteps): boolean {
  return children - waiting.size < MOST_CHILDREN && children < MOST_OPEN_CHILDREN;
}

/** Lets time pass: something that is waited for, and no person. */
export async function sleepIn(runningSteps: RunningSteps, ms: number, summary: string): Promise<void> {
  runningSteps.timers += 1;
  try {
    await sleep(ms, { summary });
  } finally {
    runningSteps.timers -= 1;
  }
}

export const MOST_CHILDREN = 8;
export const MOST_OPEN_CHILDREN = 100;
