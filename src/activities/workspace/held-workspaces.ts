import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { EndedWork, WorkName } from '../../plan/placement/ended-work.js';
import { lacks, NO_WORK, withEnded } from '../../plan/placement/ended-work.js';
import { ownQueue, WORKSPACE_LOST } from '../../plan/placement/home.js';
import { locate } from '../../store/folders/places.js';
import type { Store } from '../../store/store.js';
import { SILENT_MS } from '../../store/workers/worker-book.js';
import type { Home, HomeBook } from '../../store/workers/home-book.js';
import type { KeptState, KeptTrees } from '../../store/worktrees/kept-trees.js';
import { bringTrees, takeTrees } from '../../store/worktrees/brought-trees.js';
import { keepTrees, keptState } from '../../store/worktrees/kept-trees.js';
import { makeTrees } from '../../store/worktrees/make-trees.js';
import type { TakeCall, TakenHome } from '../../plan/placement/home.js';
import type { WorkerSelf } from '../dependencies.js';
import { stepFailure } from '../failures.js';

/** The workspaces that this worker has. */
export interface HeldWorkspaces {
  /**
   * Takes one for this worker, or says who has it: a worker that is there keeps it. Throws a failure of the step where
   * what was kept is older than what the workflow of that name knows to have ended there.
   */
  take(call: TakeCall, workflow: string, signal: AbortSignal): Promise<TakenHome>;
  /** Resolves when the files of a run stand here. Throws where another worker has it. */
  enter(run: string): Promise<void>;
  /** Keeps the files of a run as they stand when an activity ends. Throws where another worker has it. */
  keep(run: string, ended: WorkName): Promise<void>;
}

const LOOK_MS = 300;
/** Who is asked about and still beats after this is there. */
const SURE_MS = SILENT_MS + 2_000;

/** One that this worker has. */
interface Held {
  worker: string;
  fence: number;
  ready: Promise<void>;
  kept: KeptTrees | null;
  /** What has ended there; null where an earlier version, which did not note it, has had these files. */
  ended: EndedWork | null;
  /** The same, as it was kept. */
  told: EndedWork | null;
  /** The keeping that runs, and the one that comes after it, for all who have asked since. */
  running: Promise<void>;
  next: Promise<void> | null;
}

/** None so far: what a worker had under another id is not its own. */
export function createHeldWorkspaces(store: Store, homes: HomeBook, self: WorkerSelf): HeldWorkspaces {
  const held = new Map<string, Held>();

  function ours(run: string): Held {
    const one = held.get(run);
    if (one === undefined || one.worker !== self.id()) throw lost(run);
    return one;
  }

  async function keepNow(run: string): Promise<void> {
    const one = ours(run);
    const kept = await keepTrees(folderOf(store), run, { values: store, before: one.kept });
    const { ended } = one;
    if (kept === one.kept && ended === one.told) return;
    if (!(await homes.keepHome(run, one, keptState(kept, ended)))) {
      held.delete(run);
      throw lost(run);
    }
    Object.assign(one, { kept, told: ended });
  }

  async function prepare(one: Held, { run, project, carry, from }: TakeCall, home: Home | null): Promise<void> {
    const folder = folderOf(store);
    const here = locate(store, project);
    if (home?.state != null) {
      const { ended, ...kept } = await takeTrees(store, folder, run, { state: home.state, project: here });
      Object.assign(one, { kept, ended: ended ?? null, told: ended ?? null });
      return;
    }
    if (from !== undefined) await bringTrees(store, from, here);
    await makeTrees(folder, { run, project: here, carry, ...(from === undefined ? {} : { from }) });
    await keepNow(run);
  }

  return {
    async take(call, workflow, signal) {
      const { run } = call;
      const begun = Date.now();
      for (;;) {
        const home = await homes.readHome(run);
        requireKept(home, call, workflow);
        const holder = home?.holder ?? null;
        const worker = self.id();
        const known = held.get(run);
        if (home !== null && holder === worker && known?.fence === home.fence) {
          await known.ready;
          return { queue: await self.serveOwn(), holder: worker };
        }
        if (home !== null && holder !== null && holder !== worker && home.isThere) {
          const isAsked = call.lost !== holder || Date.now() - begun > SURE_MS;
          if (isAsked) return { queue: ownQueue(call.queue, holder), holder };
        } else {
          const fence = await homes.takeHome(run, worker, home);
          if (fence !== null) {
            const one: Held = {
              worker,
              fence,
              ready: Promise.resolve(),
              kept: null,
              ended: NO_WORK,
              told: null,
              running: Promise.resolve(),
              next: null,
            };
            held.set(run, one);
            one.ready = prepare(one, call, home);
            one.ready.catch(() => held.delete(run));
            const queue = await self.serveOwn();
            await one.ready;
            return { queue, holder: worker };
          }
        }
        await pause(LOOK_MS, undefined, { signal });
      }
    },
    async enter(run) {
      await ours(run).ready;
    },
    keep(run, ended) {
      const one = ours(run);
      if (one.ended !== null) one.ended = withEnded(one.ended, ended);
      one.next ??= one.running
        .catch(() => undefined)
        .then(() => {
          one.running = one.next ?? Promise.resolve();
          one.next = null;
          return keepNow(run);
        });
      return one.next;
    },
  };
}

/**
 * Where the store was brought back to a moment before that of the run, its files are those of then: to go on with them
 * as if what has ended since had not been done would be wrong.
 */
function requireKept(home: Home | null, { run, lost: before, ended: activity }: TakeCall, workflow: string): void {
  if (home?.state == null) {
    // Who had them had kept them.
    if (before !== undefined) throw older(run, 'it began');
    return;
  }
  const { ended } = JSON.parse(home.state) as KeptState; // written by `keptState`, whole
  if (activity === undefined || ended === undefined) return;
  if (lacks(ended, { workflow, activity })) throw older(run, `\`${activity}\` ended`);
}

function older(run: string, since: string): ApplicationFailure {
  return stepFailure(
    'worktree-missing',
    `The files of \`${run}\` are not in the store as they were when ${since}: the store was brought back to a moment ` +
      'before that. Start the run anew.',
  );
}

/** The run's own step is done again where its files are. */
function lost(run: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`Another worker has the workspace of \`${run}\` now.`, WORKSPACE_LOST);
}

function folderOf({ folder, id }: Store): string {
  if (folder === null) throw new Error(`The store \`${id}\` has no folder here.`);
  return folder;
}
