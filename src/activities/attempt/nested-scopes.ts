import { scopeAbove, scopeOfTry } from '../../plan/calls/journal-scope.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';

const NESTED = 'nested';

/** What this worker has noted already. */
const noted = new Set<string>();

/** Notes in the scope above that something is asked in that of a further try: nothing else tells that there is one. */
export async function noteNested(store: Pick<Store, 'id' | 'beginOnce'>, scope: string): Promise<void> {
  const name = `${store.id} ${scope}`;
  const up = noted.has(name) ? null : scopeAbove(scope);
  if (up === null) return;
  const { above, path, tried } = up;
  await noteNested(store, above);
  const key = { scope: above, key: canonicalJson([path, tried, NESTED]) };
  await store.beginOnce(key, { request: sha256(scope), response: null, at: new Date().toISOString() });
  noted.add(name);
}

/** The scope that a key of a scope notes; null for other keys. */
export function nestedIn(scope: string, parts: Json[]): string | null {
  const [path, tried, what] = parts;
  return what === NESTED && typeof path === 'string' && typeof tried === 'number'
    ? scopeOfTry(scope, path, tried)
    : null;
}
