import type { Scene } from '../../activities/narration/narrator.js';
import { mapIn, textIn } from '../../plan/builds/build-spec.js';
import { everyStepOf } from '../../plan/plan.js';
import type { Step } from '../../plan/step.js';
import type { Json } from '../../plan/values/json.js';
import type { Store } from '../../store/store.js';
import type { RunView } from '../observe/view.js';
import { buildStepOf } from './task-names.js';

/** Where a run comes from, and what it is for. */
export interface Origin extends Scene {
  /** The first run of a build with its reruns and mendings; of other runs itself. */
  origin: string;
}

/** A build that is mended has no spec of its own: it is that of the build. */
export async function originOf(view: RunView, store: Store): Promise<Origin> {
  const before = await runsBefore(view.run, store);
  const spec = (await specIn(buildStepOf(view)?.step, store)) ?? (await specOf(before, store));
  const goal = textIn(mapIn(spec, 'nugget'), 'goal') || textIn(spec, 'goal');
  return { origin: before.at(-1) ?? view.run, spec, goal: goal === '' ? view.name : goal };
}

/** The runs that a run is a rerun of, or whose build it mends, the latest first. */
async function runsBefore(run: string, store: Pick<Store, 'listSubmitted'>): Promise<string[]> {
  const after = new Map((await store.listSubmitted()).map((submitted) => [submitted.run, submitted.after]));
  const before: string[] = [];
  for (let next = after.get(run); next !== undefined && !before.includes(next); next = after.get(next))
    before.push(next);
  return before;
}

async function specOf(runs: string[], store: Store): Promise<Json> {
  for (const run of runs) {
    const record = await store.readRun(run);
    if (record === null) continue;
    for (const step of everyStepOf(await store.getPlan(record.plan))) {
      const spec = await specIn(step, store);
      if (spec !== null) return spec;
    }
  }
  return null;
}

async function specIn(step: Step | undefined, store: Pick<Store, 'getText'>): Promise<Json> {
  if (step?.kind !== 'plan' || step.build === undefined) return null;
  return JSON.parse(await store.getText(step.build)) as Json; // the compiler wrote it
}
