import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { utf8Bytes } from '../../plan/values/json.js';
import type { StoreAnswers, StoreRequest } from '../../plan/calls/store-questions.js';
import { ACCESS_BYTES, STORE_ACCESS } from '../../plan/calls/store-questions.js';
import { StoreFailure } from '../../store/store-failure.js';

/** Workers that have a store, and how to reach them. */
export interface StorePlace {
  client: Pick<Client, 'workflow'>;
  taskQueue: string;
  /** Names the store to people: its id, or its workers' queue. */
  id: string;
}

/** A question that no worker answers in this time is given up. */
const TIMEOUT_MS = 60_000;

/**
 * Asks a worker that has the store (decision 11). Throws a `StoreFailure` with the worker's words, or for a question
 * that is too big to be sent.
 */
export async function askStore<R extends StoreRequest>(
  { client, taskQueue, id }: StorePlace,
  request: R,
  timeoutMs: number = TIMEOUT_MS,
): Promise<StoreAnswers[R['op']]> {
  const bytes = utf8Bytes(JSON.stringify(request));
  if (bytes > ACCESS_BYTES)
    throw new StoreFailure(
      'internal',
      `Expected what is sent to the store \`${id}\` to have at most 1 MiB, got ${bytes.toLocaleString('en-US')} bytes.`,
    );
  try {
    const answer: unknown = await client.workflow.execute(STORE_ACCESS, {
      args: [request],
      taskQueue,
      workflowId: `store-${id}-${randomUUID()}`,
      workflowExecutionTimeout: timeoutMs,
      staticSummary: request.op,
    });
    return answer as StoreAnswers[R['op']]; // `accessStore` answers so
  } catch (error) {
    if (error instanceof WorkflowFailedError) throw new StoreFailure('internal', wordsIn(error));
    throw error;
  }
}

/** What the worker said, without the words that Temporal puts around it. */
function wordsIn(error: Error): string {
  let { message } = error;
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) ({ message } = cause);
  return message;
}
