import type { Plan } from '../../plan/plan.js';
import type { Webhook } from '../../plan/triggers/webhook.js';
import type { Hash } from '../../plan/values/value.js';
import type { PreparedRun } from '../../plan/triggers/start.js';

/** A definition's webhook that is listened for, with all that its runs are started with. */
export interface Hook {
  /** The definition's name, which is the end of its address. */
  name: string;
  /** Whose it is, of several projects that have one store. */
  project: string;
  webhook: Webhook;
  /** From the listener's environment; in memory only (I13). */
  secret: string;
  plan: Plan;
  prepared: PreparedRun;
  /** The same as a stored value. */
  ref: Hash;
}

/** Counts what came within a minute, for each hook. */
export function createRate(now: () => number = Date.now): (name: string, most: number) => boolean {
  const came = new Map<string, number[]>();
  return (name, most) => {
    const since = now() - 60_000;
    const recent = (came.get(name) ?? []).filter((at) => at > since);
    const isWithin = recent.length < most;
    came.set(name, isWithin ? [...recent, now()] : recent);
    return isWithin;
  };
}
