/** An interval of time, in epoch milliseconds. */
export type Interval = [from: number, to: number];

/**
 * A run's clock (`max_runtime_mins`). It counts the time in which something other than a person was waited for and a
 * worker was there. What was worked is known here; when workers were there, the alive log of the store knows: it is
 * asked only when the time may be over.
 */
export interface Clock {
  limit_ms: number;
  /** What was counted with the alive log's help. */
  used_ms: number;
  /** When it was worked since then. */
  worked: Interval[];
  /** Since when it is worked now; null while only people are waited for. */
  since: number | null;
}

/** Gaps shorter than this are no waiting: something ended and the next began. */
const GAP_MS = 1_000;

export function startClock(limit_ms: number, now: number): Clock {
  return { limit_ms, used_ms: 0, worked: [], since: now };
}

/** Notes whether it is worked from now on. */
export function setWorking(clock: Clock, isWorking: boolean, now: number): void {
  if (isWorking === (clock.since !== null)) return;
  if (clock.since !== null) {
    const last = clock.worked.at(-1);
    if (last !== undefined && clock.since - last[1] < GAP_MS) last[1] = now;
    else clock.worked.push([clock.since, now]);
  }
  clock.since = isWorking ? now : null;
}

/** Everything that was worked and not counted yet, up to now. */
export function uncounted({ worked, since }: Clock, now: number): Interval[] {
  return since === null ? worked : [...worked, [since, now]];
}

/** Takes in what the alive log counted of all that was uncounted up to `now`. */
export function count(clock: Clock, counted_ms: number, now: number): void {
  clock.used_ms += counted_ms;
  clock.worked = [];
  if (clock.since !== null) clock.since = now;
}

/**
 * How long until so much time may be used, all of it by default, as far as is known here, in milliseconds; null while
 * it does not run.
 */
export function msLeft(clock: Clock, now: number, upTo = clock.limit_ms): number | null {
  if (clock.since === null) return null;
  const worked = uncounted(clock, now).reduce((sum, [from, to]) => sum + to - from, 0);
  return Math.max(0, upTo - clock.used_ms - worked);
}

/**
 * The milliseconds of `intervals` that lie in `alive` ones. Both may overlap among themselves; nothing counts twice.
 */
export function overlap(intervals: Interval[], alive: Interval[]): number {
  const [mine, theirs] = [merged(intervals), merged(alive)];
  return mine.reduce(
    (sum, [from, to]) =>
      sum + theirs.reduce((part, [start, end]) => part + Math.max(0, Math.min(to, end) - Math.max(from, start)), 0),
    0,
  );
}

function merged(intervals: Interval[]): Interval[] {
  const sorted = intervals.filter(([from, to]) => to > from).sort((a, b) => a[0] - b[0]);
  const list: Interval[] = [];
  for (const [from, to] of sorted) {
    const last = list.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else list.push([from, to]);
  }
  return list;
}
