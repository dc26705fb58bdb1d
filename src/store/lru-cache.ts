/** A cache of things that never change under their key; what was used least recently goes first. */
export interface LruCache<T> {
  get(key: string): T | undefined;
  /** `weight` is what the entry counts against the limit; heavier than the whole limit is not kept. */
  set(key: string, value: T, weight: number): void;
}

/** Keeps entries whose weights sum to at most `limit`. */
export function createLruCache<T>(limit: number): LruCache<T> {
  // A Map iterates in order of insertion, so the first entry is always the one used least recently.
  const entries = new Map<string, { value: T; weight: number }>();
  let total = 0;

  function remove(key: string): void {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, weight) {
      remove(key);
      if (weight > limit) return;
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= limit) break;
        remove(oldest);
      }
    },
  };
}
