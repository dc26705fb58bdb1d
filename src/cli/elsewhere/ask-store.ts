import type { StorePlace } from '../../activities/far-store/ask-store.js';
import { askStore as ask } from '../../activities/far-store/ask-store.js';
import type { Json } from '../../plan/values/json.js';
import { utf8Bytes } from '../../plan/values/json.js';
import type { StoreAnswers, StoreRequest } from '../../plan/calls/store-questions.js';
import { ACCESS_BYTES } from '../../plan/calls/store-questions.js';
import { usageError } from '../exit-codes.js';

export type { StorePlace } from '../../activities/far-store/ask-store.js';

/**
 * Asks a worker that has the store, as `activities/far-store/ask-store.ts` does; what is too big to be sent is a usage
 * error.
 */
export async function askStore<R extends StoreRequest>(place: StorePlace, request: R): Promise<StoreAnswers[R['op']]> {
  const bytes = utf8Bytes(JSON.stringify(request));
  if (bytes > ACCESS_BYTES) {
    throw usageError(
      `Expected what is sent to the store \`${place.id}\` to have at most 1 MiB, got ` +
        `${bytes.toLocaleString('en-US')} bytes.`,
      'Submit it where that store is, or let a step read a file there.',
    );
  }
  return ask(place, request);
}

/** Values in packs that may be sent; each keeps its place. */
export function inPacks(values: Json[]): Json[][] {
  const packs: Json[][] = [];
  let room = 0;
  for (const value of values) {
    const bytes = utf8Bytes(JSON.stringify(value)) + 1;
    if (packs.length === 0 || bytes > room) {
      packs.push([]);
      room = ACCESS_BYTES / 2;
    }
    packs.at(-1)?.push(value);
    room -= bytes;
  }
  return packs;
}
