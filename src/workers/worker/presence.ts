import { hostname } from 'node:os';
import type { WorkerDeployment } from '../../plan/placement/deployment.js';
import type { Ability } from '../../plan/placement/requirement.js';
import { meets, queueFor, requirementKey } from '../../plan/placement/requirement.js';
import { newId } from '../../store/identity.js';
import type { Store } from '../../store/store.js';
import { BEAT_MS } from '../../store/workers/worker-book.js';
import type { ActivityQueues } from './activity-queues.js';

/** A worker as the others of its store see it. */
export interface Presence {
  /** Its id now: one that was taken for lost goes on under another. */
  id: () => string;
  /** Resolves when the others see it. */
  seen: () => Promise<void>;
  /** Resolves when it takes what it meets of all that was required so far. */
  look: () => Promise<void>;
  /** It takes nothing new from now on. */
  drain: () => Promise<void>;
  /** It has ended. */
  leave: () => Promise<void>;
}

export interface PresenceOptions {
  store: Pick<Store, 'noteWorker' | 'forgetWorker' | 'listRequired' | 'folder' | 'homes'>;
  /** The queue that all workers of the store poll. */
  queue: string;
  ability: Ability;
  /** The version that it is of; null for none. */
  deployment: WorkerDeployment | null;
  queues: Pick<ActivityQueues, 'serve'>;
  log: (line: string) => void;
}

/**
 * Says that a worker is there until it leaves, and takes from the queues of what it meets as soon as a step requires
 * that. A store that does not answer is asked again: nobody waits for this.
 */
export function announceWorker({ store, queue, ability, deployment, queues, log }: PresenceOptions): Presence {
  const serves = new Set<string>();
  let id = newId();
  let since = new Date().toISOString();
  let draining = false;
  let beating: Promise<void> | null = null;
  let seen: string | null = null;

  /** Says first that it is there: whatever is wrong with a queue, nobody takes it for lost. */
  async function beat(): Promise<void> {
    await note();
    if (await serveNew()) await note();
  }

  /** Takes from the queues of what it meets since it last looked; tells whether there are any. */
  async function serveNew(): Promise<boolean> {
    const before = serves.size;
    for (const requires of draining ? [] : await store.listRequired()) {
      const key = requirementKey(requires);
      if (serves.has(key) || !(await meets(requires, ability))) continue;
      await queues.serve(queueFor(queue, requires));
      serves.add(key);
    }
    return serves.size > before;
  }

  async function note(): Promise<void> {
    const isOurs = await store.noteWorker({
      id,
      host: hostname(),
      pid: process.pid,
      folder: store.folder ?? '',
      queue,
      labels: [...ability.labels].sort(),
      serves: [...serves].sort(),
      ...(deployment === null ? {} : { deployment }),
      since,
      draining,
    });
    if (isOurs) {
      seen = id;
      return;
    }
    log(`the worker ${id} was silent for so long that it was taken for lost`);
    id = newId();
    since = new Date().toISOString();
    return note();
  }

  function beatOnce(): Promise<void> {
    beating ??= beat()
      .catch(() => undefined)
      .finally(() => {
        beating = null;
      });
    return beating;
  }

  const timer = setInterval(() => void beatOnce(), BEAT_MS);
  timer.unref();
  void beatOnce();
  return {
    id: () => id,
    async seen() {
      if (seen !== id) await note();
    },
    async look() {
      await beating; // it may have read before
      await beatOnce();
    },
    async drain() {
      draining = true;
      await beating;
      await beatOnce();
    },
    async leave() {
      clearInterval(timer);
      await beating;
      await store.homes?.releaseHomes(id).catch(() => undefined); // who is silent is lost too
      await store.forgetWorker(id).catch(() => undefined); // who is silent is forgotten too
    },
  };
}
