import { stepPathOf } from '../../plan/agents/conversation.js';
import { openMessage } from '../../workers/encryption/open-message.js';
import { formatCount } from '../text/format.js';
import { abortable } from '../grpc.js';
import type { PendingActivity } from './assemble.js';
import { decode, toFailure } from './history/history-values.js';
import type { HistorySource } from './history/history.js';

/**
 * Activities of a run that have not ended, by path: attempts, last failures and heartbeats, which are in no event of
 * the history yet. Empty when the server does not answer: it is decoration, and the next second asks again.
 */
export async function readPending(
  source: HistorySource,
  workflowId: string,
  signal: AbortSignal,
): Promise<[string, PendingActivity][]> {
  const { client, connection, namespace } = source;
  try {
    const description = await abortable(connection, signal, () =>
      client.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } }),
    );
    const { pending } = await openMessage(client, { pending: description.pendingActivities ?? [] });
    return pending.map((activity) => [
      stepPathOf(activity.activityId ?? ''),
      {
        attempt: activity.attempt ?? 1,
        lastFailure: activity.lastFailure ? toFailure(activity.lastFailure).message : null,
        heartbeat: heartbeatText(decode(activity.heartbeatDetails)),
      },
    ]);
  } catch {
    return [];
  }
}

/**
 * What a heartbeat says to people: what it waits for, which turn it is, which tool runs, how much of its answer a model
 * has written. Null where it says nothing of use.
 */
export function heartbeatText(details: unknown): string | null {
  if (typeof details !== 'object' || details === null) return null;
  const { turn, tool, characters, waits } = details as Record<string, unknown>;
  if (typeof waits === 'string') return `waits: ${waits}`;
  const said = [
    ...(typeof turn === 'number' ? [`turn ${turn}`] : []),
    ...(typeof tool === 'string' ? [tool] : []),
    ...(typeof characters === 'number' && characters > 0 ? [`${formatCount(characters)} characters so far`] : []),
  ];
  return said.length === 0 ? null : said.join(', ');
}
