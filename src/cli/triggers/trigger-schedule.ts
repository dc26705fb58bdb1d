import { setTimeout as pause } from 'node:timers/promises';
import type { ScheduleDescription } from '@temporalio/client';
import type { ServerSchedule } from './server-schedules.js';
import { startedRun } from './list-schedules.js';

/** The server takes up what it is asked for within milliseconds; a busy one gets so long. */
const TAKEN_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/** What became of a wish to start a run now: it waits for the end of one that is open, or is left out for it. */
export interface Triggered {
  run: string | null;
  waits: boolean;
  skipped: boolean;
}

/**
 * Starts a run of a schedule now, as its overlap allows. Gives the run; null where none was seen to start. The server
 * names starts by their second, so of two in one second the later one is lost.
 */
export async function triggerSchedule({ name, handle, description }: ServerSchedule): Promise<Triggered> {
  const known = new Set(starters(description));
  const before = description.info.numActionsSkippedOverlap;
  await handle.trigger(description.policies.overlap);
  const until = Date.now() + TAKEN_WITHIN_MS;
  for (;;) {
    const now = await handle.describe();
    const started = starters(now).find((id) => !known.has(id));
    if (started !== undefined) return { run: startedRun(name, started), waits: false, skipped: false };
    if (now.info.numActionsSkippedOverlap > before) return { run: null, waits: false, skipped: true };
    if (Date.now() > until) return { run: null, waits: mayWait(now), skipped: false };
    await pause(LOOK_AGAIN_MS);
  }
}

/** Where nothing runs and nothing is in the buffer there is nothing to wait for: the start was lost, or comes late. */
function mayWait({ policies, info, raw }: ScheduleDescription): boolean {
  const isBusy = info.runningActions.length > 0 || Number(raw.info?.bufferSize ?? 0) > 0;
  return isBusy && policies.overlap?.startsWith('BUFFER') === true;
}

function starters({ info }: ScheduleDescription): string[] {
  return info.recentActions.map(({ action }) => action.workflow.workflowId);
}
