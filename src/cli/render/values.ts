import { toText } from '../../plan/json.js';
import type { Value } from '../../plan/value.js';
import { loadValue } from '../../store/load-value.js';
import type { Store } from '../../store/store.js';

/** A result as it is printed: a text as it is, anything else as JSON; null when there is nothing to print. */
export async function resultText(value: Value | null, store: Store): Promise<string | null> {
  const json = await loadValue(value, store);
  return json === null || json === '' ? null : toText(json);
}
