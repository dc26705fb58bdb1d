import type { Scene } from '../../activities/narration/narrator.js';
import { mapIn, textIn } from '../../plan/builds/build-spec.js';
import type { Json } from '../../plan/values/json.js';
import type { Store } from '../../store/store.js';
import { buildStepOf, specOfPlan, specOfStep } from '../observe/build-spec.js';
import type { RunView } from '../observe/view/view.js';

/** Where a run comes from, and what it is for. */
export interface Origin extends Scene {
  /** The first run of a build with its reruns and mendings; of other runs itself. */
  origin: string;
}

/** A build that is mended has no spec of its own: it is that of the build. */
export async function originOf(view: RunView, store: Store): Promise<Origin> {
  const before = await runsBefore(view.run, store);
  const spec = (await specOfStep(buildStepOf(view)?.step, store)) ?? (await specOf(before, store));
  const goal = textIn(mapIn(spec, 'nugget'), 'goal') || textIn(spec, 'goal');
  return { origin: before.at(-1) ?? view.run, spec, goal: goal === '' ? view.name : goal };
}

/** The runs that a run is a rerun of, or whose build it mends, the latest first. */
async function runsBefore(run: string, store: Pick<Store, 'readSubmitted'>): Promise<string[]> {
  const after = async (one: string): Promise<string | undefined> => (await store.readSubmitted([one]))[0]?.after;
  const before: string[] = [];
  for (let next = await after(run); next !== undefined && !before.includes(next); next = await after(next))
    before.push(next);
  return before;
}

async function specOf(runs: string[], store: Store): Promise<Json> {
  for (const run of runs) {
    const record = await store.readRun(run);
    if (record === null) continue;
    const spec = await specOfPlan(await store.getPlan(record.plan), store);
    if (spec !== null) return spec;
  }
  return null;
}
