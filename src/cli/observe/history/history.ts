import type { Client, Connection } from '@temporalio/client';
import { openMessage } from '../../../workers/encryption/open-message.js';
import { abortable } from '../../grpc.js';
import type { HistoryEvent } from './history-values.js';

/** Where histories are read: the part of a `TemporalLink` that viewers use. */
export interface HistorySource {
  client: Client;
  connection: Connection;
  namespace: string;
}

/** The server answers a long poll within 20 s, an empty page when nothing happened. */
const POLL_DEADLINE_MS = 65_000;

/**
 * The events of a run, in order, page by page, through every link of its continue-as-new chain from the named one on;
 * an empty `runId` is the newest that exists now. With `wait` it goes on until the run has closed; without, it ends
 * with what there is. Encrypted payloads are open. Throws gRPC errors, NOT_FOUND for an unknown run, UNAVAILABLE when
 * the server is gone, and a KeyError.
 */
export async function* readHistory(
  source: HistorySource,
  { workflowId, runId: first }: { workflowId: string; runId: string },
  { wait, signal }: { wait: boolean; signal: AbortSignal },
): AsyncGenerator<HistoryEvent[]> {
  let runId = first;
  let nextPageToken: Uint8Array = new Uint8Array();
  while (!signal.aborted) {
    const request = {
      namespace: source.namespace,
      execution: { workflowId, runId },
      nextPageToken,
      waitNewEvent: wait,
    };
    const page = await abortable(source.connection, signal, () =>
      source.connection.withDeadline(Date.now() + POLL_DEADLINE_MS, () =>
        source.client.workflowService.getWorkflowExecutionHistory(request),
      ),
    );
    const { events } = await openMessage(source.client, { events: page.history?.events ?? [] });
    if (events.length > 0) yield events;
    const next = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    nextPageToken = page.nextPageToken ?? new Uint8Array();
    if (next) {
      runId = next;
      nextPageToken = new Uint8Array();
    } else if (nextPageToken.length === 0) return;
  }
}
