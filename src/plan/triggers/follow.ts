import type { RunEnd } from '../result.js';
import type { Expression, Template } from '../values/expression.js';
import type { Hash } from '../values/value.js';

/** How a run may end that others follow. */
export const FOLLOWED_ENDS = ['success', 'partial', 'error', 'timeout', 'cancelled'] as const satisfies RunEnd[];

/** What a run that has ended tells those that follow it: `${event.…}`. */
export const FOLLOWED_EVENT = [
  ...['run', 'definition', 'status', 'inputs', 'output', 'error'],
  ...['usd', 'tokens', 'steps', 'submitted_by', 'time'],
];

/** Runs of a definition start when runs of others end. */
export interface Follow {
  /** Names of the definitions whose runs are followed. */
  definitions: string[];
  ends: RunEnd[];
  /** Ends for which it is false start nothing; null for all. */
  when: Expression | null;
  inputs: Record<string, Template>;
}

/** A definition with `on: run` as it was synced: what is looked at when a run ends. */
export interface Follower extends Omit<Follow, 'inputs'> {
  /** The definition's name. */
  definition: string;
  /** From the project's root. */
  file: string;
  /** Whose it is, of several projects that have one store. */
  project: string;
  /** A stored `PreparedRun`. */
  prepared: Hash;
  /** Hash of what the definition says: another one means that it was changed. */
  source: Hash;
  /** Hash of all that its runs are started with. */
  settled: Hash;
  /** Why it starts nothing for now, where somebody paused it. */
  paused?: string;
}

/** A change of who follows whom: all others stay as they are. */
export interface FollowersChange {
  /** Those that a project has synced; one that is paused stays so. */
  put?: Omit<Follower, 'paused'>[];
  /** Those of a project that follow nobody any more. */
  remove?: Pick<Follower, 'definition' | 'project'>[];
  /** One that is paused for a reason, or, with null, is no more. */
  pause?: Pick<Follower, 'definition' | 'project'> & { note: string | null };
}

/** Followers after a change. What another project has under a name is not replaced. */
export function changedFollowers(there: Follower[], { put = [], remove = [], pause }: FollowersChange): Follower[] {
  const isGone = (one: Follower): boolean =>
    remove.some(({ definition, project }) => definition === one.definition && project === one.project);
  const followers = new Map(there.filter((one) => !isGone(one)).map((one) => [one.definition, one]));
  for (const one of put) {
    const before = followers.get(one.definition);
    if (before !== undefined && before.project !== one.project) continue;
    followers.set(one.definition, before?.paused === undefined ? one : { ...one, paused: before.paused });
  }
  const paused = pause === undefined ? undefined : followers.get(pause.definition);
  if (pause !== undefined && paused?.project === pause.project) {
    const { paused: _before, ...rest } = paused;
    followers.set(pause.definition, pause.note === null ? rest : { ...rest, paused: pause.note });
  }
  return [...followers.values()];
}

/** Where the log of a run tells what kept followers from being started: no step has this path. */
export const FOLLOWER_LOG = '.follow';

/** Whom a definition follows, and to which ends, in one line for people. */
export function followText({ definitions, ends }: Pick<Follow, 'definitions' | 'ends'>): string {
  return `after ${definitions.join(', ')}: ${ends.join(', ')}`;
}
