import { setTimeout as pause } from 'node:timers/promises';
import type { ScheduleDescription } from '@temporalio/client';
import type { ServerSchedule } from './server-schedules.js';
import { startedRun } from './list-schedules.js';

/** The server takes up what it is asked for within milliseconds; a busy one gets so long. */
const TAKEN_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/**
 * Starts a run of a schedule now, as its overlap allows. Gives the run; null where none was started, because one is
 * open, and `waits` where it is started when that has ended.
 */
export async function triggerSchedule({
  name,
  handle,
  description,
}: ServerSchedule): Promise<{ run: string | null; waits: boolean }> {
  const known = new Set(starters(description));
  const skipped = description.info.numActionsSkippedOverlap;
  await handle.trigger(description.policies.overlap);
  const until = Date.now() + TAKEN_WITHIN_MS;
  for (;;) {
    const now = await handle.describe();
    const started = starters(now).find((id) => !known.has(id));
    if (started !== undefined) return { run: startedRun(name, started), waits: false };
    if (now.info.numActionsSkippedOverlap > skipped) return { run: null, waits: false };
    if (Date.now() > until) return { run: null, waits: true };
    await pause(LOOK_AGAIN_MS);
  }
}

function starters({ info }: ScheduleDescription): string[] {
  return info.recentActions.map(({ action }) => action.workflow.workflowId);
}
