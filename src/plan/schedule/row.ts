import { rootsOfStep } from '../references/step-references.js';
import type { Step, ToolStep } from '../step.js';
import { ROW_TOOLS } from '../tools/tool.js';
import type { Schedule } from './schedule-state.js';
import { isEnd } from './schedule.js';

/** So many steps are done in one row at most. */
const LONGEST = 25;

/**
 * The steps that may be done in one row, `first` at their head: each the only one that waits for those before it in the
 * row, which tells nothing of what it is called with. Whoever asks leaves out those that something else speaks against.
 */
export function rowFrom(schedule: Schedule, first: ToolStep, fits: (step: ToolStep) => boolean): ToolStep[] {
  const row = [first];
  if (!looksOnly(first)) return row;
  for (let last = first; row.length < LONGEST;) {
    const next = followerOf(schedule, last);
    if (next === null || !isPlain(schedule, next, row) || !fits(next)) break;
    row.push((last = next));
  }
  return row;
}

/** What is cancelled after it was done in a row is told as skipped: so nothing in a row may change anything. */
function looksOnly({ tool }: ToolStep): boolean {
  return tool.kind === 'builtin' && ROW_TOOLS.includes(tool.name);
}

/** The one step that waits for another, where there are not several, which would run beside each other. */
function followerOf({ body, dependents, steps }: Schedule, step: Step): Step | null {
  const waiting = (dependents[step.index] ?? []).filter(({ step: index }) => steps[index]?.status === 'pending');
  const [only] = waiting;
  return only === undefined || waiting.length > 1 ? null : (body.steps[only.step] ?? null);
}

/** Tells whether a step runs whatever comes of the row, as long as that succeeds, and is called with what is known. */
function isPlain({ steps, doomed }: Schedule, step: Step, row: Step[]): step is ToolStep {
  const inRow = new Set(row.map(({ index }) => index));
  return (
    step.kind === 'tool' &&
    looksOnly(step) &&
    step.when === null &&
    step.deadline_ms === null &&
    step.always === row[0]?.always &&
    !doomed.has(step.index) &&
    step.needs.every((need) => inRow.has(need.step) || isEnd(steps[need.step]?.status ?? 'pending')) &&
    rootsOfStep(step).every((root) => !root.startsWith('group:') && !inRow.has(stepIn(root)))
  );
}

/** The step that a root names (`step:INDEX`, with a field or without); -1 for other roots. */
function stepIn(root: string): number {
  return Number(/^step:(\d+)/.exec(root)?.[1] ?? -1);
}
