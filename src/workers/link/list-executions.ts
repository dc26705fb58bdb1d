import type { Client, WorkflowExecutionInfo, WorkflowExecutionStatusName } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { SearchAttributeType, TypedSearchAttributes, defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../../plan/names.js';
import { KeyError } from '../../store/encryption/key-error.js';
import type { Listed } from '../connection/list-pages.js';
import { listPages } from '../connection/list-pages.js';

/** What the server's list tells of a run, and a run itself. */
export type Execution = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'taskQueue' | 'startTime' | 'closeTime' | 'memo' | 'typedSearchAttributes'
> & { status: { name: WorkflowExecutionStatusName } };

/** By number, as `temporal.api.enums.v1.WorkflowExecutionStatus` has them. */
const STATUSES: WorkflowExecutionStatusName[] = [
  'UNSPECIFIED',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TERMINATED',
  'CONTINUED_AS_NEW',
  'TIMED_OUT',
];

/** Search attributes that the server sets itself, where workers have versions. */
export const BEHAVIOR = defineSearchAttributeKey('TemporalWorkflowVersioningBehavior', SearchAttributeType.KEYWORD);
export const VERSION = defineSearchAttributeKey('TemporalWorkerDeploymentVersion', SearchAttributeType.KEYWORD);
/** How a run stands in our words, where its server keeps that. */
export const STATUS = defineSearchAttributeKey(SEARCH_ATTRIBUTES.status, SearchAttributeType.KEYWORD);
const NONE = new TypedSearchAttributes();

/**
 * All runs of a query as the server lists them, with their memos and the search attributes of their version. For ten
 * thousand runs the client's own list takes half a second of the processor for what else it makes of each; here
 * payloads are decoded a page at a time. Those of other queues may be of projects with other keys, and are left out
 * then; throws a KeyError for one of this queue.
 */
export async function listExecutions(
  { client, taskQueue }: { client: Client; taskQueue: string },
  query: string,
): Promise<Execution[]> {
  const executions: Execution[] = [];
  for await (const listed of listPages(client, query)) {
    const read = await decoded(client, listed).catch((error: unknown) => {
      if (!(error instanceof KeyError)) throw error;
      return readable(client, listed, taskQueue);
    });
    executions.push(...read);
  }
  return executions;
}

async function readable(client: Client, listed: Listed[], taskQueue: string): Promise<Execution[]> {
  const read = listed.map((one) =>
    decoded(client, [one]).catch((error: unknown) => {
      if (one.taskQueue === taskQueue || !(error instanceof KeyError)) throw error;
      return [];
    }),
  );
  return (await Promise.all(read)).flat();
}

async function decoded(client: Client, listed: Listed[]): Promise<Execution[]> {
  const { payloadConverter, payloadCodecs } = client.options.loadedDataConverter;
  let payloads: Payload[] = listed.flatMap(({ memo }) => Object.values(memo?.fields ?? {}));
  for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
  let at = 0;
  const read = (payload: Payload): unknown => payloadConverter.fromPayload(payload);
  const next = (): unknown => {
    const payload = payloads[at++];
    return payload === undefined ? undefined : read(payload);
  };
  return listed.map((raw) => {
    const closed = dateOf(raw.closeTime);
    return {
      workflowId: raw.execution?.workflowId ?? '',
      taskQueue: raw.taskQueue ?? '',
      status: { name: STATUSES[raw.status ?? 0] ?? 'UNKNOWN' },
      startTime: dateOf(raw.startTime) ?? new Date(0),
      ...(closed === undefined ? {} : { closeTime: closed }),
      memo: Object.fromEntries(Object.keys(raw.memo?.fields ?? {}).map((name) => [name, next()])),
      typedSearchAttributes: versionOf(raw, read),
    };
  });
}

/** A run's own version and what it does with it; other search attributes are not read. */
function versionOf({ searchAttributes }: Listed, read: (payload: Payload) => unknown): TypedSearchAttributes {
  const pairs = [BEHAVIOR, VERSION].flatMap((key) => {
    const payload = searchAttributes?.indexedFields?.[key.name];
    const value = payload && read(payload);
    return typeof value === 'string' ? [{ key, value }] : [];
  });
  return pairs.length === 0 ? NONE : new TypedSearchAttributes(pairs);
}

function dateOf(time: Listed['startTime']): Date | undefined {
  if (time?.seconds == null) return undefined;
  return new Date(time.seconds.toNumber() * 1_000 + Math.floor((time.nanos ?? 0) / 1_000_000));
}
