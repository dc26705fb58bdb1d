import type { Happening, HappeningKind } from './happening.js';

/** Between two messages about one task. */
export const TASK_GAP_MS = 15_000;
/** What agents say is told of when nothing more came for so long. */
export const SILENCE_MS = 10_000;
/** Between any two messages: nobody reads faster. */
export const GAP_MS = 2_000;
/** What is older is no news. */
export const NEWS_MS = 15_000;

/** Of several things that happened to a task meanwhile the most telling one is told. */
const RANKS: Record<HappeningKind, number> = {
  output: 0,
  committed: 0,
  started: 1,
  again: 2,
  waiting: 3,
  completed: 4,
  failed: 5,
};

/** Decides what is told when. All times are epoch milliseconds. */
export interface Pacing {
  offer(happening: Happening, now: number): void;
  /** What to tell now; null for nothing. It is told once. */
  next(now: number): Happening | null;
  /** A message about a task was told. */
  told(task: string, at: number): void;
}

interface Pace {
  /** When it was told of last. */
  told: number;
  pending: Happening | null;
  /** What its agent said last, and when. */
  output: { happening: Happening; at: number } | null;
}

/**
 * At most one message about a task in 15 s, and one in 2 s in all. What an agent says waits for 10 s of silence. Keeps
 * one happening of each kind for a task, however many come.
 */
export function createPacing(): Pacing {
  const paces = new Map<string, Pace>();
  let last = -Infinity;

  function paceOf(task: string): Pace {
    const known = paces.get(task) ?? { told: -Infinity, pending: null, output: null };
    paces.set(task, known);
    return known;
  }

  function forget(now: number): void {
    for (const [task, pace] of paces) {
      if (pace.pending !== null && pace.pending.at < now - TASK_GAP_MS - NEWS_MS) pace.pending = null;
      if (pace.pending === null && pace.output === null && now - pace.told >= TASK_GAP_MS) paces.delete(task);
    }
  }

  return {
    offer(happening, now) {
      if (happening.kind === 'committed' || happening.at < now - NEWS_MS) return;
      const pace = paceOf(happening.task);
      if (happening.kind === 'output') {
        pace.output = { happening, at: now };
        return;
      }
      // What it said before it ended is past.
      if (happening.kind === 'completed' || happening.kind === 'failed') pace.output = null;
      if (pace.pending === null || RANKS[happening.kind] >= RANKS[pace.pending.kind]) pace.pending = happening;
    },
    next(now) {
      forget(now);
      if (now - last < GAP_MS) return null;
      const ready = [...paces.values()]
        .filter(({ told }) => now - told >= TASK_GAP_MS)
        .flatMap((pace) => {
          const happening = pace.pending ?? quiet(pace, now);
          return happening === null ? [] : [{ pace, happening }];
        })
        .sort((a, b) => RANKS[b.happening.kind] - RANKS[a.happening.kind] || a.happening.at - b.happening.at);
      const [first] = ready;
      if (first === undefined) return null;
      first.pace.told = now;
      if (first.happening.kind === 'output') first.pace.output = null;
      else first.pace.pending = null;
      last = now;
      return first.happening;
    },
    told(task, at) {
      const pace = paceOf(task);
      pace.told = Math.max(pace.told, at);
      last = Math.max(last, at);
    },
  };
}

function quiet({ output }: Pace, now: number): Happening | null {
  return output !== null && now - output.at >= SILENCE_MS ? output.happening : null;
}
