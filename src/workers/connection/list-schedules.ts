import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { STARTER } from '../../plan/triggers/start.js';
import { payloadKey } from '../encryption/payload-codec.js';

type Page = Awaited<ReturnType<Client['workflowService']['listSchedules']>>;
type Described = Awaited<ReturnType<Client['workflowService']['describeSchedule']>>;

const PAGE = 1_000;

/** Ids of all schedules of a namespace that start runs of ours. No payload is decoded: some may be others'. */
export async function* listScheduleIds({
  workflowService,
  options: { namespace },
}: Pick<Client, 'workflowService' | 'options'>): AsyncGenerator<string> {
  for (let nextPageToken: Uint8Array | undefined; ;) {
    const asked = { namespace, maximumPageSize: PAGE, ...(nextPageToken === undefined ? {} : { nextPageToken }) };
    const page: Page = await workflowService.listSchedules(asked);
    for (const { scheduleId, info } of page.schedules ?? [])
      if (info?.workflowType?.name === STARTER && scheduleId) yield scheduleId;
    if (!page.nextPageToken || page.nextPageToken.length === 0) return;
    nextPageToken = page.nextPageToken;
  }
}

/** The key that what a schedule starts runs with is encrypted with; null where it is plain. */
export function argumentKey({ schedule }: Pick<Described, 'schedule'>): string | null {
  return firstKey(schedule?.action?.startWorkflow?.input?.payloads ?? []);
}

/** A key of those that all of a schedule is encrypted with which is none of these; null where there is none. */
export function lackingKey({ schedule, memo }: Described, ids: readonly string[]): string | null {
  const payloads = [...(schedule?.action?.startWorkflow?.input?.payloads ?? []), ...Object.values(memo?.fields ?? {})];
  return firstKey(payloads.filter((payload) => !ids.includes(payloadKey(payload) ?? '')));
}

function firstKey(payloads: Payload[]): string | null {
  return payloads.map(payloadKey).find((key) => key !== null) ?? null;
}
