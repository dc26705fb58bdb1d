import { stepPathOf } from '../../plan/agents/conversation.js';
import type { RunView, StepView } from './view/view.js';
import { nestedIn } from './view/view.js';

/** A step among those beside it, in the run or the round that it is of. */
export interface Level {
  run: RunView;
  beside: StepView[];
  step: StepView;
  /** The round of a loop or the item of a foreach that it is of; null for a run's own step. */
  round: number | null;
}

/**
 * The way to a step, the outermost first: each level but the last is what the next one is in. Empty where there is no
 * such step. `path` is below the root run, and may be that of a gate within its step.
 */
export function levelsTo(view: RunView, path: string): Level[] {
  return within(view, view.steps, stepPathOf(path), null) ?? [];
}

function within(run: RunView, beside: StepView[], path: string, round: number | null): Level[] | null {
  for (const step of beside) {
    const here: Level = { run, beside, step, round };
    for (const nested of nestedIn(step)) {
      const below = path === step.path ? null : within(nested, nested.steps, path, null);
      if (below !== null) return [here, ...below];
    }
    for (const { index, steps, path: at } of step.rounds) {
      if (path !== at && !path.startsWith(`${at}/`)) continue;
      const below = within(run, steps, path, index);
      if (below !== null) return [here, ...below];
    }
    if (step.path === path) return [here];
  }
  return null;
}

/** Names the same step of the Plan in all rounds of its loops; of each item of a foreach it is another. */
export function placeOf(levels: Level[]): string {
  return levels
    .map(({ step, round }, depth) => {
      const isItem = levels[depth - 1]?.step.step.kind === 'foreach';
      return isItem ? `${String(round)}:${step.step.index}` : step.step.index;
    })
    .join('/');
}
