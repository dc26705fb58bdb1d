import type { Json, JsonObject } from '../plan/values/json.js';
import { isObject } from '../plan/values/json.js';
import type { Value, Hash } from '../plan/values/value.js';
import { isStored } from '../plan/values/value.js';
import { StoreFailure } from './store-failure.js';
import type { Store } from './store.js';

/**
 * A transcript is a chain of stored messages, each naming its parent's hash (I7): the last one's hash names all that
 * was said. To fork a conversation is to append twice to the same message.
 */
export async function appendMessage(
  store: Pick<Store, 'putAlways'>,
  parent: Hash | null,
  message: JsonObject,
): Promise<Hash> {
  const { ref } = await store.putAlways({ parent, message });
  return ref;
}

/** The messages up to `head`, the first one first. Throws a `StoreFailure` where one is missing or is no message. */
export async function readTranscript(store: Pick<Store, 'get'>, head: Hash): Promise<JsonObject[]> {
  const messages: JsonObject[] = [];
  for (let next: Hash | null = head; next !== null;) {
    const { parent, message } = entryIn(await store.get(next), next);
    messages.push(message);
    next = parent;
  }
  return messages.reverse();
}

/** The last message alone. */
export async function readMessage(store: Pick<Store, 'get'>, head: Hash): Promise<JsonObject> {
  return entryIn(await store.get(head), head).message;
}

function entryIn(value: Json, ref: Hash): { parent: Hash | null; message: JsonObject } {
  const { parent, message } = isObject(value) ? value : {};
  if (!isObject(message) || (parent !== null && typeof parent !== 'string'))
    throw new StoreFailure('internal', `Expected the stored value \`${ref}\` to be a message of a transcript.`);
  return { parent: parent as Hash | null, message }; // `appendMessage` puts hashes there
}

/** The JSON behind a value, whatever its size. Throws a `StoreFailure` when it is stored and missing or corrupt. */
export async function loadValue(value: Value | null, store: Pick<Store, 'get'>): Promise<Json> {
  if (value === null) return null;
  return isStored(value) ? store.get(value.ref) : value.value;
}
