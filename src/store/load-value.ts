import type { Json } from '../plan/json.js';
import type { Value } from '../plan/value.js';
import { isStored } from '../plan/value.js';
import type { Store } from './store.js';

/** The JSON behind a value, whatever its size. Throws a `StoreFailure` when it is stored and missing or corrupt. */
export async function loadValue(value: Value | null, store: Pick<Store, 'get'>): Promise<Json> {
  if (value === null) return null;
  return isStored(value) ? store.get(value.ref) : value.value;
}
