import { sleep } from '@temporalio/workflow';
import type { Flight } from './context.js';

/** The running steps of a run that has started none yet. */
export function createFlight(runStep: Flight['runStep'], toldWaiting: boolean): Flight {
  return {
    runStep,
    scopes: new Map(),
    activities: 0,
    computing: 0,
    children: 0,
    waiting: new Set(),
    queued: 0,
    timers: 0,
    toldWaiting,
    telling: null,
    started: 0,
    endedBelow: 0,
    task: { historyLength: 0, endedBefore: 0, endedByNow: 0 },
    draining: false,
    broken: undefined,
    land: () => undefined,
    isPumping: false,
    pumpAgain: false,
  };
}

/** Whether one more nested run may be started (I11). */
export function hasRoomForNested({ children, waiting }: Flight): boolean {
  return children - waiting.size < MOST_CHILDREN && children < MOST_OPEN_CHILDREN;
}

/** Lets time pass: something that is waited for, and no person. */
export async function sleepIn(flight: Flight, ms: number, summary: string): Promise<void> {
  flight.timers += 1;
  try {
    await sleep(ms, { summary });
  } finally {
    flight.timers -= 1;
  }
}

export const MOST_CHILDREN = 8;
export const MOST_OPEN_CHILDREN = 100;
