import type { Happening } from '../../plan/narration/happening.js';
import type { Store } from '../../store/store.js';
import type { RunView } from '../observe/view/view.js';
import { rootOf } from '../observe/view/view.js';
import { placedSteps, toHappening } from './happenings.js';
import type { TaskNames } from './task-names.js';

/** How often logs are looked at. */
const LOOK_MS = 1_000;
/** Steps that are listened to at once. */
const MOST_STEPS = 8;
/** Of what was said the end is told. */
const TAIL_CHARACTERS = 600;

/** Listens to what agents and commands say: gives one happening for each that has said something since. */
export function listenToOutputs(
  store: Pick<Store, 'readLog'>,
): (view: RunView, names: TaskNames, now: number) => Promise<Happening[]> {
  const offsets = new Map<string, number>();
  let looked = -Infinity;
  return async (view, names, now) => {
    if (now - looked < LOOK_MS) return [];
    looked = now;
    const running = placedSteps(view)
      .filter(({ step }) => step.status === 'running' && (step.step.kind === 'agent' || step.step.kind === 'command'))
      .slice(0, MOST_STEPS);
    for (const path of offsets.keys()) if (!running.some(({ step }) => step.path === path)) offsets.delete(path);
    const said: Happening[] = [];
    for (const placed of running) {
      const { path } = placed.step;
      const { lines, next } = await store.readLog(rootOf(view.run), path, offsets.get(path) ?? 0);
      offsets.set(path, next);
      const text = lines.map((line) => (line.stream === 'note' ? '' : line.text)).join('');
      if (text !== '')
        said.push({ ...toHappening('output', placed, names), at: now, text: text.slice(-TAIL_CHARACTERS) });
    }
    return said;
  };
}
