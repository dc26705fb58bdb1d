import { ApplicationFailure } from '@temporalio/common';
import type { FailureType } from '../plan/failure.js';
import { KeyError } from '../store/encryption/key-error.js';
import { ClaimLostError } from '../store/journal/entry.js';
import { isNoSpace, StoreFailure } from '../store/store-failure.js';
import { cutTo } from '../plan/text/cut-to.js';
import { FileRefusal } from './refusal.js';

/** What people read must fit a terminal, a memo and a history. */
const MESSAGE_CHARACTERS = 1_900;

/**
 * A failure as activities report it: `type` is a `FailureType`. It is final for Temporal (decision 13) unless `retry`
 * is given: then Temporal tries again, after `afterMs` or, without one, by its own backoff.
 */
export function stepFailure(
  type: FailureType,
  message: string,
  retry?: { afterMs: number | null },
): ApplicationFailure {
  const text = cutTo(message, MESSAGE_CHARACTERS);
  const nextRetryDelay = retry?.afterMs ?? null;
  return ApplicationFailure.create({
    type,
    message: text,
    nonRetryable: retry === undefined,
    ...(nextRetryDelay === null ? {} : { nextRetryDelay }),
  });
}

/** How soon what a full disk has stopped is tried again: often, since it costs nothing but a look. */
const ROOM_AGAIN_MS = 2_000;

/** How soon what another worker's keys have encrypted is tried again. */
const KEYS_AGAIN_MS = 5_000;

/**
 * Any error as the failure of a step. Cancellation is not for this: it is rethrown as it came (I9). A disk that takes
 * nothing now ends no step and no run: Temporal starts the activity again until somebody has made room.
 */
export function toFailure(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ClaimLostError) return workerLost();
  // What lacks a key waits for a worker that has it.
  if (error instanceof KeyError) return stepFailure('store-missing', error.message, { afterMs: KEYS_AGAIN_MS });
  if (error instanceof StoreFailure)
    return error.passes
      ? stepFailure(error.type, error.message, { afterMs: ROOM_AGAIN_MS })
      : stepFailure(error.type, error.message);
  if (isNoSpace(error))
    return stepFailure(
      'store-full',
      `No space is left on the disk: ${error instanceof Error ? error.message : String(error)}`,
      { afterMs: ROOM_AGAIN_MS },
    );
  if (error instanceof FileRefusal) return stepFailure('internal', error.message);
  return stepFailure('internal', error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}

/** The failure of a local activity that a step is, with what it says already: its event does not name the step. */
export function withPath(
  { type, message, nonRetryable, details }: ApplicationFailure,
  path: string,
): ApplicationFailure {
  const [said] = (details ?? []) as object[]; // what was spent or is needed
  return ApplicationFailure.create({
    type: type ?? 'internal',
    message,
    nonRetryable: nonRetryable === true,
    details: [{ ...said, path }],
  });
}

/**
 * A worker that shuts down gives its work back: Temporal starts it again elsewhere, and it counts as no try (decision
 * 13).
 */
export function workerLost(): ApplicationFailure {
  return ApplicationFailure.create({ type: 'worker-lost', message: 'The worker was shut down.', nonRetryable: false });
}

/** Wraps an activity: its errors leave it as failures with a type. */
export function withFailures<A extends unknown[], R>(activity: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await activity(...args);
    } catch (error) {
      throw toFailure(error);
    }
  };
}
