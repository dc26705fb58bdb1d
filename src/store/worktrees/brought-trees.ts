import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_WORK } from '../../plan/placement/ended-work.js';
import { writeAtomically } from '../files.js';
import { sha256 } from '../hash.js';
import type { HomeBook } from '../workers/home-book.js';
import type { WorkerBook } from '../workers/worker-book.js';
import { CarryTooLarge, carryFault } from './carried.js';
import type { KeptState } from './kept-trees.js';
import { keepTrees, keptState, restoreTrees } from './kept-trees.js';
import type { Values } from './kept-values.js';
import type { TreeSource } from './make-trees.js';
import { makeTrees } from './make-trees.js';
import { treePlaces } from './places.js';
import { readIfThere } from '../read-regular.js';

/** The store of runs whose trees travel, as far as these need it. */
interface TravelStore extends Values, Pick<WorkerBook, 'listWorkers'> {
  homes: HomeBook | null;
  folder: string | null;
}

/**
 * Brings the work trees of a run that travels to this machine, as they were kept last, for whoever looks at them. Where
 * a worker of this folder works in them they stand as they are.
 */
export async function bringTrees(store: TravelStore, run: string, project: string): Promise<void> {
  const { homes, folder } = store;
  if (homes === null || folder === null) return;
  const home = await homes.readHome(run);
  if (home?.state == null) return;
  const isHere =
    home.isThere && (await store.listWorkers()).some((one) => one.id === home.holder && one.folder === folder);
  if (!isHere) await standAs(store, folder, run, { state: home.state, project, looksOnly: true });
}

/** Folders beside git are not there: nobody works there. */
const LOOKS = 'for-looking';

/** Has the trees stand as they were kept; what stands so already is left. */
async function standAs(
  store: TravelStore,
  folder: string,
  run: string,
  { state, project, looksOnly }: { state: string; project: string; looksOnly: boolean },
): Promise<void> {
  const whole = sha256(state);
  const wanted = looksOnly ? `${whole} ${LOOKS}` : whole;
  const stands = await broughtState(folder, run);
  if (stands === whole || stands === wanted) return;
  // written by `keptState`, whole
  await restoreTrees(folder, run, JSON.parse(state) as KeptState, { values: store, project, looksOnly });
  await writeAtomically(markOf(folder, run), wanted);
}

/** Brings them for a worker, who changes them from now on; gives what was kept. */
export async function takeTrees(
  store: TravelStore,
  folder: string,
  run: string,
  from: { state: string; project: string },
): Promise<KeptState> {
  await standAs(store, folder, run, { ...from, looksOnly: false });
  await rm(markOf(folder, run), { force: true });
  return JSON.parse(from.state) as KeptState; // written by `keptState`, whole
}

/**
 * Makes the trees of a run that is about to start of the files here, and keeps them for the worker that takes it.
 * Throws `CarryTooLarge`, and nothing is made then.
 */
export async function offerTrees(store: TravelStore, source: TreeSource): Promise<void> {
  const { homes, folder } = store;
  if (homes === null || folder === null || (await homes.readHome(source.run)) !== null) return;
  const fault = carryFault(source.project, source);
  if (fault !== null) throw new CarryTooLarge(fault);
  if (source.from !== undefined) await bringTrees(store, source.from, source.project);
  await makeTrees(folder, source);
  const state = keptState(await keepTrees(folder, source.run, { values: store, before: null }), NO_WORK);
  await homes.offerHome(source.run, state);
  await writeAtomically(markOf(folder, source.run), sha256(state));
}

async function broughtState(folder: string, run: string): Promise<string | null> {
  return readIfThere(markOf(folder, run));
}

/** Says which state stands there, as long as nobody has worked there since. */
function markOf(folder: string, run: string): string {
  return join(treePlaces(folder, run).folder, 'brought');
}
