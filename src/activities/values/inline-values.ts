import type { JsonObject } from '../../plan/values/json.js';
import type { Value } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';

/** An input as it was given. */
export async function inlineValues(input: Record<string, Value>, store: Store): Promise<JsonObject> {
  const values = await Promise.all(
    Object.entries(input).map(
      async ([name, value]) => [name, isStored(value) ? await store.get(value.ref) : value.value] as const,
    ),
  );
  return Object.fromEntries(values);
}
