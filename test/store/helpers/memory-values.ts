import type { Json } from '../../../src/plan/values/json.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { sha256 } from '../../../src/store/hash.js';
import type { Values } from '../../../src/store/worktrees/kept-values.js';

/** Values that several machines share, in memory; `kept` has each text by its hash. */
export function memoryValues(): { values: Values; kept: Map<string, string> } {
  const kept = new Map<string, string>();
  const values = {
    putAlways(value: string): Promise<{ ref: Hash }> {
      const ref = sha256(value);
      kept.set(ref, value);
      return Promise.resolve({ ref });
    },
    get: (ref: Hash): Promise<Json> => Promise.resolve(kept.get(ref) ?? null),
  };
  return { values, kept };
}
