import type { Resource } from './amounts.js';
import { toNanoUsd } from './amounts.js';
import type { Limit } from './budgets.js';
import type { Quota } from './quota.js';

/** What a person may add to a run's limits. */
export interface Additions {
  usd?: number;
  tokens?: number;
  steps?: number;
  minutes?: number;
}

/**
 * What a person says to steer a run, by update or signal. `id` names the request: what was done under an id is not done
 * again. A run takes `pause` and `resume` for itself and all it nests; `budget` and `abort` it takes for limits of its
 * own, and `say` for the agents of its own steps: `path` is that of a step or of a called agent, below the root run.
 */
export type Steer = { id: string; by: string } & (
  | { kind: 'pause' }
  /** `quota`: what holds from now on, where the run is bound to one. */
  | { kind: 'resume'; quota?: Quota }
  | { kind: 'budget'; add: Additions }
  | { kind: 'abort' }
  | { kind: 'say'; path: string; text: string }
);

/** The longest text that a person may say to an agent at once, in UTF-16 code units: history keeps each (I7). */
export const MOST_SAID = 4_000;

/** What the update answers. */
export interface SteerReceipt {
  run: string;
  status: 'running' | 'paused' | 'stopping';
}

/**
 * Why nothing new starts in a run, as its memo shows it; `cause` is a limit, `quota` for that of all runs, or `request`
 * where somebody said so.
 */
export interface Pause {
  cause: Limit | 'request' | 'quota';
  /** The run whose pause it is. */
  run: string;
  /** One sentence for people: what it needs. */
  message: string;
  /** Who said so; null for a limit. */
  by: string | null;
  /** ISO 8601, UTC. */
  since: string;
  /** When it ends by itself, likewise; absent where it does not. */
  until?: string;
}

/** Tells whether a word alone ends a pause; a limit of the run's own is raised instead. */
export function isResumable({ cause }: Pause): boolean {
  return cause === 'request' || cause === 'quota';
}

/** A limit of which most is used, as the run's memo shows it: once for each. */
export interface Warning {
  limit: Limit;
  /** One sentence for people. */
  message: string;
  /** ISO 8601, UTC. */
  since: string;
}

/** Why a run starts nothing any more and ends with what it has. */
export interface Stop {
  cause: Limit | 'abort' | 'cancel' | 'quota';
  status: 'partial' | 'error' | 'timeout';
  message: string;
}

/** What holds for a run and all it nests, as each tells those below. */
export interface Restrictions {
  pause: Pause | null;
  stop: Stop | null;
  /** The model that calls go to since a limit was used up. */
  degrade: string | null;
  /** The quota of all runs as who resumed the run said that it is now; absent where it is as the run began. */
  quota?: Quota;
}

export const NO_RESTRICTIONS: Restrictions = { pause: null, stop: null, degrade: null };

/** The flag and the resource of each addition; run time is no resource of the ledger. */
export const ADDITIONS: {
  [what in keyof Required<Additions>]: { limit: Limit; resource: Exclude<Resource, 'slots'> | null };
} = {
  usd: { limit: 'max_cost_usd', resource: 'nanousd' },
  tokens: { limit: 'max_tokens', resource: 'tokens' },
  steps: { limit: 'max_steps', resource: 'steps' },
  minutes: { limit: 'max_runtime_mins', resource: null },
};

/** What is added, one limit after the other; amounts as the ledger counts them, minutes as milliseconds. */
export function additionsOf(
  add: Additions,
): { limit: Limit; resource: Exclude<Resource, 'slots'> | null; amount: number }[] {
  return Object.entries(ADDITIONS).flatMap(([what, { limit, resource }]) => {
    const value = add[what as keyof Additions]; // the keys of ADDITIONS are those of Additions
    if (value === undefined) return [];
    return [
      {
        limit,
        resource,
        amount: resource === 'nanousd' ? toNanoUsd(value) : resource === null ? Math.round(value * 60_000) : value,
      },
    ];
  });
}

/** Tells whether something received from outside has the form of a request (signals come from anyone). */
export function isSteer(value: unknown): value is Steer {
  if (typeof value !== 'object' || value === null) return false;
  const { id, by, kind, add, path, text, quota } = value as Record<string, unknown>;
  if (!isShortText(id) || !isShortText(by)) return false;
  switch (kind) {
    case 'budget':
      return isAdditions(add);
    case 'say':
      return typeof path === 'string' && typeof text === 'string' && text.trim() !== '' && text.length <= MOST_SAID;
    default:
      return kind === 'pause' || kind === 'abort' || (kind === 'resume' && (quota === undefined || isQuota(quota)));
  }
}

/** Tells whether something received from outside has the form of a quota. */
export function isQuota(value: unknown): value is Quota {
  if (typeof value !== 'object' || value === null) return false;
  const { usd, user_usd } = value as Record<string, unknown>; // an object, as just seen
  return [usd, user_usd].every((limit) => limit === null || (typeof limit === 'number' && limit > 0));
}

function isAdditions(value: unknown): value is Additions {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 && entries.every(([what, amount]) => Object.hasOwn(ADDITIONS, what) && isAmount(what, amount))
  );
}

/** Above nothing, below what sums can still hold exactly, and whole where halves mean nothing. */
function isAmount(what: string, amount: unknown): boolean {
  if (typeof amount !== 'number' || !(amount > 0) || amount > 1e6 * (what === 'tokens' ? 1e6 : 1)) return false;
  return what === 'usd' || what === 'minutes' || Number.isInteger(amount);
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 256;
}
