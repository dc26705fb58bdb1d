import { ownOf } from '../values/own.js';

/**
 * Which activities have ended of those that may have changed the files of a workspace, the latest of each run of its
 * tree: it is kept with these files, so that nobody goes on with files of before an activity that has ended.
 */
export interface EndedWork {
  /** Ids of activities by workflow, the latest last. */
  by: Record<string, string[]>;
  /** Runs were left out, the longest silent first: of one that is not there nothing is known. */
  more?: true;
}

/** An activity of one run. */
export interface WorkName {
  workflow: string;
  activity: string;
}

/** More than one run has under way at once (I11). */
const MOST_OF_RUN = 64;
const MOST_RUNS = 200;

/** None so far. */
export const NO_WORK: EndedWork = { by: {} };

/** The same with one that has ended just now. */
export function withEnded({ by, ...rest }: EndedWork, { workflow, activity }: WorkName): EndedWork {
  const before = Object.hasOwn(by, workflow) ? (by[workflow] ?? []) : [];
  const kept = Object.entries(by).filter(([other]) => other !== workflow);
  const left = kept.slice(Math.max(0, kept.length + 1 - MOST_RUNS));
  return {
    ...rest,
    by: {
      ...Object.fromEntries(left),
      [workflow]: [...before.filter((id) => id !== activity), activity].slice(-MOST_OF_RUN),
    },
    ...(left.length < kept.length ? { more: true } : {}),
  };
}

/** Tells whether files that were kept with this lack what an activity did that its run knows as ended last. */
export function lacks({ by, more }: EndedWork, { workflow, activity }: WorkName): boolean {
  const known = ownOf(by, workflow);
  return known === undefined ? more !== true : !known.includes(activity);
}
