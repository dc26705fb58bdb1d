import { statementIn } from '../../activities/gates/receipt.js';
import type { RecordedEnd } from '../../plan/agents/recorded-answers.js';
import type { Failure, FailureType } from '../../plan/failure.js';
import type { Step } from '../../plan/step.js';
import type { Value } from '../../plan/values/value.js';
import { loadValue } from '../../store/transcript.js';
import type { Store } from '../../store/store.js';
import { receiptsOf } from '../follow/receipts.js';
import type { RunView, StepView } from '../observe/view/view.js';
import { everyStepView, nestedIn, pathBelow } from '../observe/view/view.js';
import type { Recording } from './recording.js';
import { ownOf } from '../../plan/values/own.js';

/** Why tries of a step failed before its last one, by the step's path; null where nobody knows any more. */
export type EarlierTries = ReadonlyMap<string, Failure[]> | null;

/** Every step that ran below a run's own, by its path: how control went through items, rounds and nested runs. */
export function flowOf(view: RunView): Record<string, string> {
  const own = new Set(view.steps.map(({ path }) => path));
  return Object.fromEntries(
    everyStepOf(view)
      .filter(({ path, result }) => result !== null && !own.has(path))
      .map(({ path, status }) => [path, status]),
  );
}

/** The steps of a run that ran, those of items, rounds and nested runs too, without what only holds others. */
export function stepsThatRan(view: RunView): StepView[] {
  return everyStepOf(view).filter(
    ({ step: { kind }, result, rounds, nested }) =>
      result !== null &&
      result.status !== 'skipped' &&
      !(kind === 'foreach' || kind === 'loop' || rounds.length > 0) &&
      !(kind === 'workflow' && nested !== null),
  );
}

/** The steps of a run, those of items, rounds and nested runs too. */
export function everyStepOf({ steps }: RunView): StepView[] {
  return everyStepView(steps).flatMap((view) => [
    view,
    ...(view.step.kind === 'workflow' ? nestedIn(view).flatMap(everyStepOf) : []),
  ]);
}

/**
 * What differs between the steps that ran when it was recorded, and those that ran now: `-` for what did not run so,
 * `+` for what did. In the order of the steps; empty where nothing does.
 */
export function flowDiff(recorded: Record<string, string>, now: Record<string, string>): string[] {
  const paths = Object.keys(now);
  let at = 0;
  for (const path of Object.keys(recorded)) {
    const known = paths.indexOf(path);
    if (known >= 0) at = known + 1;
    else paths.splice(at++, 0, path);
  }
  return paths.flatMap((path) => {
    const [before, after] = [ownOf(recorded, path), ownOf(now, path)];
    if (before === after) return [];
    return [
      ...(before === undefined ? [] : [`- ${path} ${before}`]),
      ...(after === undefined ? [] : [`+ ${path} ${after}`]),
    ];
  });
}

/** What people decided, in the order in which they did: of gates that nobody was asked at there is nothing. */
export async function gatesOf(view: RunView, store: Store): Promise<NonNullable<Recording['gates']>> {
  const gates: NonNullable<Recording['gates']> = [];
  for (const { gate, decision, by, comment, asked, hash, output } of (await receiptsOf(view, store)).map(statementIn)) {
    if (decision === 'expire') continue;
    const isSaid = decision === 'answer' || (decision === 'approve' && asked !== hash);
    gates.push({
      ...{ gate: pathBelow(gate), decision, by },
      ...(comment === null ? {} : { comment }),
      // as receipts have it: a value, or the name of a stored one
      ...(isSaid ? { output: await loadValue(output as unknown as Value | null, store) } : {}),
    });
  }
  return gates;
}

/**
 * How each try of a command ended, or of a step with a device, those of one step in their order; not what was skipped
 * or cancelled before it ended.
 */
export async function endsOf(
  view: RunView,
  store: Store,
  { kinds, usual, earlier }: { kinds: Step['kind'][]; usual: FailureType; earlier: EarlierTries },
): Promise<RecordedEnd[]> {
  const ends: RecordedEnd[] = [];
  const fail = (step: string, { type, message }: Pick<Failure, 'type' | 'message'>): void => {
    ends.push({ step, failed: message, ...(type === usual ? {} : { failure: type }) });
  };
  for (const { path, step, result } of everyStepOf(view)) {
    if (!kinds.includes(step.kind) || result === null) continue;
    const { status, failure, error } = result;
    for (const before of earlier?.get(path) ?? []) fail(path, before);
    if (status === 'success') ends.push({ step: path, output: await loadValue(result.output, store) });
    else if (failure != null && failure !== 'cancelled') fail(path, { type: failure, message: error ?? '' });
  }
  return ends;
}
