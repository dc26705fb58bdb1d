import type { Narration } from '../../cli/narration/narrate.js';
import type { NarrateRun } from '../../cli/narration/narrate-session.js';
import { findRun } from '../../cli/observe/find-run.js';
import type { Observer } from '../../cli/observe/observer.js';
import { requireOwnRun } from '../../cli/observe/own-runs.js';
import { observe } from '../../cli/observe/observer.js';
import type { RunView } from '../../cli/observe/view/view.js';
import type { SharedSession } from './shared-link.js';

/** How long a run is followed after the last who looked at it has gone. */
const LINGER_MS = 10_000;
/** Changes that come faster than this are told as one. */
const GATHER_MS = 300;

/** Runs that people look at: each is followed once, however many look. */
export interface LiveRuns {
  /** A root run as it is now. Throws a usage error for one that is unknown. */
  view(run: string): Promise<RunView>;
  /** Has a watcher told of what happens, until what it gives is called. */
  watch(run: string, watcher: Watcher): () => void;
  close(): void;
}

export interface Watcher {
  onChange: () => void;
  /** It is not followed any more: the run has closed, or its server has gone. */
  onEnd: (isClosed: boolean) => void;
}

interface Followed {
  observer: Observer | null;
  watchers: Set<Watcher>;
  stop: AbortController;
  linger: NodeJS.Timeout | null;
  gathering: NodeJS.Timeout | null;
}

/** Nothing is followed before somebody watches it. Whoever does is told of it as those in a terminal are. */
export function createLiveRuns(session: SharedSession, narrate: NarrateRun): LiveRuns {
  const followed = new Map<string, Followed>();
  const end = (run: string, follow: Followed): void => {
    follow.stop.abort();
    if (followed.get(run) === follow) followed.delete(run);
  };
  const begin = (run: string): Followed => {
    const follow: Followed = {
      observer: null,
      watchers: new Set(),
      stop: new AbortController(),
      linger: null,
      gathering: null,
    };
    followed.set(run, follow);
    void followRun({ session, narrate }, run, follow)
      .catch(() => false)
      .then((isClosed) => {
        end(run, follow);
        for (const { onEnd } of follow.watchers) onEnd(isClosed);
      });
    return follow;
  };
  return {
    async view(run) {
      const live = followed.get(run)?.observer?.view() ?? null;
      return live ?? (await session.patiently(() => findRun(run, session, { withPending: true }))).view;
    },
    watch(run, watcher) {
      const follow = followed.get(run) ?? begin(run);
      if (follow.linger !== null) clearTimeout(follow.linger);
      follow.linger = null;
      follow.watchers.add(watcher);
      return () => {
        follow.watchers.delete(watcher);
        if (follow.watchers.size === 0) follow.linger = setTimeout(() => end(run, follow), LINGER_MS);
      };
    },
    close() {
      for (const [run, follow] of followed) end(run, follow);
    },
  };
}

/** Resolves when the run is not followed any more; tells whether it has closed. */
async function followRun(
  { session, narrate }: { session: SharedSession; narrate: NarrateRun },
  run: string,
  follow: Followed,
): Promise<boolean> {
  if ((await session.store.readRun(run)) !== null) return true;
  if (!session.mayKnowRuns()) return false;
  const link = await session.connect({ start: true });
  await requireOwnRun(run, link, session.store);
  const change = (): void => {
    follow.gathering ??= setTimeout(() => {
      follow.gathering = null;
      for (const { onChange } of follow.watchers) onChange();
    }, GATHER_MS);
  };
  const told: { by: Narration | null } = { by: null };
  const observer = observe({
    source: link,
    run,
    store: session.store,
    wait: true,
    signal: follow.stop.signal,
    onChange: () => {
      const view = observer.view();
      if (view !== null) told.by?.see(view);
      change();
    },
    onEvent: (of, event) => {
      if (event.kind === 'run-started' && of === run)
        told.by ??= narrate(run, event.input.plan.narrate === true, change);
      told.by?.hear(event);
    },
  });
  follow.observer = observer;
  let last: RunView | null = null;
  try {
    await observer.done;
    if (!follow.stop.signal.aborted) last = observer.view();
  } finally {
    await told.by?.close(last);
  }
  return last !== null;
}
