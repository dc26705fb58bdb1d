/**
 * Lets calls for the same key share work that has not begun: of those that come while it is under way, one more run of
 * it answers all. So each caller's work begins after its call, and what was done before the call is part of it. A
 * failure is told to all who share it.
 */
export function coalesce(work: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const underWay = new Map<string, Promise<void>>();
  const toCome = new Map<string, Promise<void>>();

  async function runAfter(before: Promise<void> | undefined, key: string): Promise<void> {
    await before?.catch(() => undefined); // told to its own callers
    toCome.delete(key);
    const now = work(key);
    underWay.set(key, now);
    try {
      await now;
    } finally {
      if (underWay.get(key) === now) underWay.delete(key);
    }
  }

  return (key) => {
    const shared = toCome.get(key);
    if (shared !== undefined) return shared;
    const next = runAfter(underWay.get(key), key);
    toCome.set(key, next);
    return next;
  };
}
