import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { usageError } from '../exit-codes.js';
import type { ServerSchedule } from './server-schedules.js';

/** Who types a year where a day was meant starts no more than this. */
const MOST_AT_ONCE = 100;
/** The server names no more moments. */
const MOST_NAMED = 1_000;

/** Since and until when to start what was due. */
export interface Range {
  start: Date;
  end: Date;
}

/** Starts what was due in a time. Throws a usage error where that is much, unless `all` of it is meant. */
export async function backfillSchedule(
  { name, handle, description }: ServerSchedule,
  { start, end }: Range,
  { link: { client, namespace }, all }: { link: Pick<TemporalLink, 'client' | 'namespace'>; all: boolean },
): Promise<void> {
  const { startTime: due } = await client.workflowService.listScheduleMatchingTimes({
    namespace,
    scheduleId: handle.scheduleId,
    startTime: toTime(start),
    endTime: toTime(end),
  });
  const last = due[MOST_AT_ONCE - 1];
  if (!all && last !== undefined && due.length > MOST_AT_ONCE) {
    const until = new Date(Number(last.seconds) * 1000).toISOString();
    throw usageError(
      `\`${name}\` was due ${due.length < MOST_NAMED ? due.length : `at least ${MOST_NAMED}`} times from ` +
        `${start.toISOString()} to ${end.toISOString()}, more than ${MOST_AT_ONCE}. Nothing was started.`,
      `The first ${MOST_AT_ONCE} are those \`--to ${until}\`; go on from there. \`--all\` starts all at once.`,
    );
  }
  await handle.backfill({ start, end, overlap: description.policies.overlap });
}

/** A time of the protocol, whose class for long numbers no package of ours has: plain ones are taken too. */
function toTime(date: Date): never {
  const ms = date.getTime();
  return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 } as never;
}
