/** What anybody may have written into a run's log, by tokens that nobody signed. */
const MOST = 20;
const WINDOW_MS = 60_000;

/** Tells whether one more forged token is kept in a log: of those that come at once only the first are. */
export function createForgedLimit(now: () => number = Date.now): () => boolean {
  let times: number[] = [];
  return () => {
    times = times.filter((at) => now() - at < WINDOW_MS);
    if (times.length >= MOST) return false;
    times.push(now());
    return true;
  };
}
