import type { Json } from '../../plan/json.js';
import { toText } from '../../plan/json.js';
import type { Value } from '../../plan/value.js';
import { isStored } from '../../plan/value.js';
import type { Store } from '../../store/store.js';

/** The JSON behind a value, whatever its size. */
export async function loadValue(value: Value | null, store: Store): Promise<Json> {
  if (value === null) return null;
  return isStored(value) ? store.get(value.ref) : value.value;
}

/** A result as it is printed: a text as it is, anything else as JSON; null when there is nothing to print. */
export async function resultText(value: Value | null, store: Store): Promise<string | null> {
  const json = await loadValue(value, store);
  return json === null || json === '' ? null : toText(json);
}
