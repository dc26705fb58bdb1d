import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { STARTER } from '../../plan/triggers/start.js';
import { payloadKey } from '../encryption/payload-codec.js';

type Page = Awaited<ReturnType<Client['workflowService']['listSchedules']>>;
type Described = Awaited<ReturnType<Client['workflowService']['describeSchedule']>>;

const PAGE = 1_000;

/** A definition's schedule in the server: a namespace may have those of many stores. */
export function scheduleId(store: { id: string }, name: string): string {
  return `${store.id}/${name}`;
}

/** The name of the definition whose schedule it is; null for one of another store. */
export function scheduledName(store: { id: string }, id: string): string | null {
  const before = scheduleId(store, '');
  return id.startsWith(before) ? id.slice(before.length) : null;
}

/** Ids of the schedules that start runs of a store. No payload is decoded: some may be others'. */
export async function* listScheduleIds(
  { workflowService, options: { namespace } }: Pick<Client, 'workflowService' | 'options'>,
  store: { id: string },
): AsyncGenerator<string> {
  for (let nextPageToken: Uint8Array | undefined; ;) {
    const asked = { namespace, maximumPageSize: PAGE, ...(nextPageToken === undefined ? {} : { nextPageToken }) };
    const page: Page = await workflowService.listSchedules(asked);
    for (const { scheduleId: id, info } of page.schedules ?? [])
      if (info?.workflowType?.name === STARTER && id && scheduledName(store, id) !== null) yield id;
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
