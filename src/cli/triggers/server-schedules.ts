import type { ScheduleDescription, ScheduleHandle } from '@temporalio/client';
import { ScheduleNotFoundError } from '@temporalio/client';
import { MEMO } from '../../plan/names.js';
import type { ScheduledCall } from '../../plan/triggers/start.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';

/** A schedule of this store as the server has it. */
export interface ServerSchedule {
  name: string;
  handle: ScheduleHandle;
  call: ScheduledCall;
  description: ScheduleDescription;
}

/** All schedules of this store, by the names of their definitions. */
export async function serverSchedules(
  { client }: Pick<TemporalLink, 'client'>,
  store: { id: string },
): Promise<Map<string, ServerSchedule>> {
  const found = new Map<string, ServerSchedule>();
  for await (const { scheduleId, memo } of client.schedule.list({ pageSize: 1000 })) {
    if (memo?.[MEMO.store] !== store.id) continue;
    const handle = client.schedule.getHandle(scheduleId);
    const description = await describe(handle);
    const call: unknown = description?.action.args?.[0];
    if (description === null || !isScheduledCall(call)) continue;
    const name = call.schedule.definition;
    found.set(name, { name, handle, call, description });
  }
  return found;
}

/** Null when it was removed between two questions. */
async function describe(handle: ScheduleHandle): Promise<ScheduleDescription | null> {
  try {
    return await handle.describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

/** Anybody may make a schedule with our memo: what it starts is looked at. */
function isScheduledCall(call: unknown): call is ScheduledCall {
  if (typeof call !== 'object' || call === null || !('prepared' in call) || !('schedule' in call)) return false;
  const { schedule } = call;
  return (
    typeof schedule === 'object' &&
    schedule !== null &&
    ['definition', 'file', 'source', 'settled'].every(
      (key) => typeof (schedule as Record<string, unknown>)[key] === 'string', // an object, as just seen
    )
  );
}
