/** Nobody waits longer than a day, whatever a server asks. */
export const LONGEST_MS = 24 * 60 * 60_000;
/** A server that says "at once" has named no time: who took it at its word would ask without a pause, for a day. */
const SHORTEST_MS = 1_000;

/**
 * How long a server asks to wait, in milliseconds, a day at most; null when it names no time, or none to come. Reads
 * `retry-after-ms`, and `retry-after` in seconds or as a date. `now` is the time in milliseconds.
 */
export function retryAfterMs(header: (name: string) => string | null, now: number): number | null {
  const wanted =
    inMs(header('retry-after-ms')) ?? inSeconds(header('retry-after')) ?? atDate(header('retry-after'), now);
  return wanted === null || wanted < SHORTEST_MS ? null : Math.round(Math.min(LONGEST_MS, wanted));
}

function inMs(text: string | null): number | null {
  return text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}

function inSeconds(text: string | null): number | null {
  const seconds = inMs(text);
  return seconds === null ? null : seconds * 1000;
}

function atDate(text: string | null, now: number): number | null {
  const at = text === null ? NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at - now;
}
