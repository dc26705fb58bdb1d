import { setTimeout as pauseFor } from 'node:timers/promises';
import type { ApplicationFailure } from '@temporalio/common';
import type { Pause, ProviderFiles } from '../../../store/records/provider-files.js';
import { stepFailure } from '../../failures.js';
import type { Line } from './call-line.js';
import { createLine } from './call-line.js';

/** Whoever asks first after a pause has so long to be answered; then the next one may. */
const PROBE_MS = 30_000;
/** How often others look whether it was. */
const LOOK_MS = 200;
/** A call that waits longer gives its activity back, so that its own time limit begins anew. */
const PATIENCE_MS = 15_000;
/** When it comes again. */
const AGAIN_MS = 1_000;

/** A call that may be made. Exactly one of `refuse` and `release` ends it. */
export interface Pass {
  /** The provider takes calls: the others may go on. */
  accept(): void;
  /** It says when to come again, in epoch milliseconds. */
  refuse(until: number, reason: string): Promise<void>;
  release(): void;
}

export interface Wanted {
  /** A provider at an address. */
  provider: string;
  /** Calls at once; null for no limit. */
  concurrency: number | null;
  signal: AbortSignal;
}

export type Admission = (wanted: Wanted) => Promise<Pass>;

/**
 * Lets calls through to providers. At an address that has not answered lately the first call goes alone; one that
 * names a time is not asked again before it, by any worker of the store, and then by one call first. Who cannot wait
 * here is told by a failure that Temporal tries again: a sleeping call holds no worker.
 */
export function createAdmission(store: ProviderFiles): Admission {
  const lines = new Map<string, Line>();

  function lineOf(provider: string): Line {
    const line = lines.get(provider) ?? createLine();
    lines.set(provider, line);
    return line;
  }

  return async ({ provider, concurrency, signal }) => {
    const wait = { deadline: Date.now() + PATIENCE_MS, signal };
    const line = lineOf(provider);
    for (;;) {
      const probed = await pauseOver(store, provider, wait);
      if (line.enterNow(concurrency)) return passOf({ store, provider, line, probed });
      if (!(await line.enter(concurrency, wait.deadline, signal)))
        throw waitFailure('As many calls as the provider may have at once are under way.', AGAIN_MS);
      const pause = await store.readPause(provider);
      if (pause === null || pause.until === probed?.until) return passOf({ store, provider, line, probed });
      line.leave(); // Another call was refused meanwhile.
    }
  };
}

function passOf({
  store,
  provider,
  line,
  probed,
}: {
  store: ProviderFiles;
  provider: string;
  line: Line;
  probed: Pause | null;
}): Pass {
  return {
    accept: () => {
      line.prove();
      if (probed !== null) void endPause(store, provider, probed).catch(() => undefined);
    },
    refuse: async (until, reason) => {
      line.doubt();
      // Only who finds the pause may follow.
      await store.writePause(provider, { until, reason }).finally(() => line.leave());
    },
    release: () => line.leave(),
  };
}

/** Ends a pause, unless another has begun; one that stays costs one more probe. */
async function endPause(store: ProviderFiles, provider: string, { until }: Pause): Promise<void> {
  if ((await store.readPause(provider))?.until === until) await store.writePause(provider, null);
}

/**
 * Returns when this call may be made: null where there is no pause, else the one that is over and that it asks about
 * first. Throws a failure that says when to come again.
 */
async function pauseOver(
  store: ProviderFiles,
  provider: string,
  { deadline, signal }: { deadline: number; signal: AbortSignal },
): Promise<Pause | null> {
  for (;;) {
    signal.throwIfAborted();
    const now = Date.now();
    const pause = await store.readPause(provider);
    if (pause === null) return null;
    if (now < pause.until) throw waitFailure(textOf(pause), pause.until - now);
    if (await store.claimProbe(provider, pause, Math.floor((now - pause.until) / PROBE_MS))) return pause;
    if (now > deadline) throw waitFailure(textOf(pause), AGAIN_MS);
    await pauseFor(LOOK_MS, undefined, { signal });
  }
}

function textOf({ until, reason }: Pause): string {
  return `No call was made: the provider may be asked again at ${new Date(until).toISOString()} (${reason}).`;
}

function waitFailure(message: string, afterMs: number): ApplicationFailure {
  return stepFailure('rate-limited', message, { afterMs });
}
