import type { ScheduleDescription, ScheduleHandle } from '@temporalio/client';
import { ScheduleNotFoundError } from '@temporalio/client';
import type { ScheduledCall } from '../../plan/triggers/start.js';
import { KeyError } from '../../store/encryption/key-error.js';
import { argumentKey, lackingKey, listScheduleIds, scheduledName } from '../../workers/connection/list-schedules.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';

/** A schedule of this store as the server has it. */
export interface ServerSchedule {
  name: string;
  handle: ScheduleHandle;
  call: ScheduledCall;
  /** Id of the key that the call is encrypted with; null where it is plain. */
  key: string | null;
  description: ScheduleDescription;
}

/** One that cannot be read: it is encrypted with a key that is not here. */
export interface SealedSchedule {
  name: string;
  handle: ScheduleHandle;
  sealedWith: string;
}

/** All schedules of this store, by the names of their definitions. */
export interface ServerSchedules {
  there: Map<string, ServerSchedule>;
  sealed: Map<string, SealedSchedule>;
}

/** The schedules of a store, of which no key is needed that only others need. */
export async function serverSchedules(
  { client, keys }: Pick<TemporalLink, 'client' | 'keys'>,
  store: { id: string },
): Promise<ServerSchedules> {
  const found: ServerSchedules = { there: new Map(), sealed: new Map() };
  for await (const scheduleId of listScheduleIds(client, store)) {
    const handle = client.schedule.getHandle(scheduleId);
    const description = await describe(handle, keys?.ids ?? []);
    if (description === null) continue;
    if (typeof description === 'string') {
      const name = scheduledName(store, scheduleId) ?? scheduleId;
      found.sealed.set(name, { name, handle, sealedWith: description });
      continue;
    }
    const call: unknown = description.action.args?.[0];
    if (!isScheduledCall(call)) continue;
    const name = call.schedule.definition;
    found.there.set(name, { name, handle, call, key: argumentKey(description.raw), description });
  }
  return found;
}

/** Throws a KeyError that names a schedule and its key. */
export function requireOpened(schedule: ServerSchedule | SealedSchedule): ServerSchedule {
  if (!('sealedWith' in schedule)) return schedule;
  throw new KeyError(
    `The schedule \`${schedule.name}\` is encrypted with the key \`${schedule.sealedWith}\`, which is not here.`,
    'Add that key to `encryption.keys`, after the first one, and `perdure schedules sync` encrypts it with the first ' +
      'one. Where it is lost, remove the schedule and sync again.',
  );
}

/** Null when it was removed between two questions; the id of its key where that is not here. */
async function describe(handle: ScheduleHandle, ids: readonly string[]): Promise<ScheduleDescription | string | null> {
  try {
    return await handle.describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    const {
      workflowService,
      options: { namespace },
    } = handle.client;
    const raw = await workflowService.describeSchedule({ namespace, scheduleId: handle.scheduleId }).catch(() => null);
    const key = raw === null ? null : lackingKey(raw, ids);
    if (key === null) throw error;
    return key;
  }
}

/** Anybody may make a schedule with such an id: what it starts is looked at. */
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
