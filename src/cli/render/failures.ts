import type { LoopStep } from '../../plan/step.js';
import { rootsOf } from '../../plan/values/expression.js';
import type { RunView, StepView } from '../observe/view/view.js';
import { nestedIn } from '../observe/view/view.js';

/** A step that failed by itself. */
interface Failed {
  path: string;
  error: string;
  /** People whom the error names. */
  by: string[];
  /** Path of the step that wrote what tells why; null where none wrote anything. */
  log: string | null;
  /** Whether it was stopped because another failed. */
  isCut: boolean;
}

/** The steps of a run that failed by themselves, the innermost first; last those that were cut off for another. */
export function failuresOf({ steps }: Pick<RunView, 'steps'>): Failed[] {
  return cutLast(failuresIn(steps));
}

/** Puts what was stopped because another failed behind what failed by itself. */
export function cutLast<T extends { isCut: boolean }>(failed: T[]): T[] {
  return [...failed.filter(({ isCut }) => !isCut), ...failed.filter(({ isCut }) => isCut)];
}

function failuresIn(steps: StepView[]): Failed[] {
  return steps.flatMap((step) => {
    const { status, path, result } = step;
    const isFailed = status === 'error' || status === 'timeout';
    const below = isFailed && step.step.kind === 'loop' ? failuresOfLoop(step, step.step) : failuresBelow(step);
    const isLate = isEndedByLimit(step, below);
    if (!isFailed || (below.length > 0 && !isLate)) return below;
    return [
      { path, error: result?.error ?? status, by: result?.decided_by ?? [], log: logOf(step), isCut: isCut(step) },
      ...below.filter(({ isCut }) => !isCut),
    ];
  });
}

/**
 * Tells whether a limit of a step's own ended it, and no other failure that goes up from below: then it is told, and
 * not what the limit cut off.
 */
export function isEndedByLimit({ result }: StepView, below: readonly { error: string | null }[]): boolean {
  return result?.failure === 'timeout' && !below.some(({ error }) => error === result.error);
}

function failuresBelow(step: StepView): Failed[] {
  const passed = step.status === 'success' && step.result?.partial === undefined;
  return failuresIn([
    ...(passed ? [] : nestedIn(step).flatMap((run) => run.steps)),
    ...step.rounds.flatMap((round) => round.steps),
  ]);
}

/** A loop is ended by its last round, and there by what its condition asks about: rounds before went on. */
function failuresOfLoop({ path, status, result, rounds }: StepView, { until }: LoopStep): Failed[] {
  const last = rounds.at(-1)?.steps ?? [];
  const roots = rootsOf([{ kind: 'expression', expression: until }]).map((root) => root.split('.', 1)[0]);
  const asked = last.filter(({ step }) => roots.includes(`step:${step.index}`));
  const failures = failuresIn([...asked, ...last.filter((step) => !asked.includes(step))]);
  if (failures.length > 0) return failures;
  const log = asked.map(logOf).find((one) => one !== null) ?? null;
  return [{ path, error: result?.error ?? status, by: [], log, isCut: false }];
}

/** Tells whether a step was stopped because another failed, or its run was ended. */
export function isCut({ result }: StepView): boolean {
  return result?.failure === 'cancelled';
}

function logOf({ path, step: { kind } }: StepView): string | null {
  return kind === 'agent' || kind === 'command' || kind === 'tool' ? path : null;
}
