import { CancellationScope } from '@temporalio/workflow';
import { needsBatches } from '../../plan/schedule/batch-run.js';
import type { Binding } from '../../plan/references/environment.js';
import type { CarriedBlock } from '../../plan/schedule/carried.js';
import { endOfItems } from '../../plan/outcomes/course.js';
import { addFailure } from '../../plan/schedule/schedule.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { ForeachStep } from '../../plan/step.js';
import type { Value } from '../../plan/values/value.js';
import { inline, isStored } from '../../plan/values/value.js';
import { runBatches } from '../running/batch-runs.js';
import type { Rounds, Scope } from '../state/context.js';
import { innerScope, pathOf } from '../state/context.js';
import { cancelledRounds, closeRounds, openRounds, runRound, settleItem } from '../running/rounds.js';
import { renderedValues } from '../state/values.js';
import { ownOf } from '../../plan/values/own.js';

/** At most so many items are open at once: those that wait for people hold no slot of `max_parallel` (I11). */
const MOST_OPEN = 100;

/** Its body once for each item, windowed (I11). Items start in order; what a failed one does, `on_error` says. */
export async function runForeach(scope: Scope, step: ForeachStep): Promise<StepEnd> {
  const carried = ownOf(scope.context.carriedBlocks, pathOf(scope, step)) ?? null;
  const items = carried?.items ?? (await renderedValues(scope, step, { items: step.items }))['items'] ?? inline(null);
  const count = countOf(items);
  if (count === null) return { status: 'error', failure: { type: 'value-invalid', message: notAList(items) } };
  const rounds = openRounds(scope, step, carried === null ? null : { ...carried, items });
  rounds.items = items;
  const broken =
    rounds.broken !== null || needsBatches(step, count, carried)
      ? await runInBatches(scope, step, rounds, count)
      : null;
  if (broken !== null) return broken;
  if (!isStopped(step, rounds)) await runItems(scope, step, rounds, { end: count, open: carried?.open ?? {} });
  return CancellationScope.current().consideredCancelled
    ? cancelledRounds(scope, rounds)
    : endOfForeach(scope, step, rounds, count);
}

/** The end of a foreach one of whose batch runs was ended from outside, which leaves items undone; else null. */
async function runInBatches(scope: Scope, step: ForeachStep, rounds: Rounds, count: number): Promise<StepEnd | null> {
  if (rounds.broken === null) await runBatches(scope, step, rounds, count);
  const { broken: failure } = rounds;
  if (failure === null || isStopped(step, rounds)) return null;
  const { pages = [], spend = rounds.spend } = await CancellationScope.nonCancellable(() =>
    closeRounds(scope, rounds, false),
  );
  return { status: 'error', failure, pages, spend };
}

function isStopped({ on_error }: ForeachStep, { counts }: Rounds): boolean {
  return CancellationScope.current().consideredCancelled || (counts.failures.count > 0 && on_error === 'stop');
}

/**
 * The items that a batch run was given. What came of them is told to the run that started it: only that knows how the
 * foreach ends.
 */
export async function runBatchItems(scope: Scope, step: ForeachStep): Promise<StepEnd> {
  const { context } = scope;
  const carried = ownOf(context.carriedBlocks, pathOf(scope, step)) ?? null;
  const rounds = openRounds(scope, step, carried);
  await runItems(scope, step, rounds, { end: carried?.end ?? 0, open: carried?.open ?? {} });
  const {
    own: { stop },
    refused,
    run,
  } = context.account;
  // The run that started it is told why items are undone, unless it was stopped itself.
  if (stop !== null && refused > 0) addFailure(rounds.counts.failures, `${run}: ${stop.message}`);
  const { pages = [], spend = rounds.spend } = await CancellationScope.nonCancellable(() =>
    closeRounds(scope, rounds, false),
  );
  context.items = { counts: rounds.counts, pages };
  return { status: 'success', output: null, pages, spend };
}

/** Runs the items that were open when the run continued as new, then those that have not started, up to `end`. */
async function runItems(
  scope: Scope,
  step: ForeachStep,
  rounds: Rounds,
  { end, open }: { end: number; open: CarriedBlock['open'] },
): Promise<void> {
  const reopened = Object.keys(open).map(Number);
  const work = new CancellationScope();
  const start = (index: number): Promise<void> =>
    work.run(() => runItem({ scope, step, rounds, work }, index, open[index] ?? null));
  await window(
    Math.min(step.max_parallel ?? MOST_OPEN, MOST_OPEN),
    () => reopened.shift() ?? (rounds.next < end && !work.consideredCancelled ? rounds.next++ : null),
    start,
  );
}

interface ItemLoop {
  scope: Scope;
  step: ForeachStep;
  rounds: Rounds;
  work: CancellationScope;
}

async function runItem(
  { scope, step, rounds, work }: ItemLoop,
  index: number,
  carried: Parameters<typeof innerScope>[3],
): Promise<void> {
  const item = innerScope(
    scope,
    step,
    { index, item: itemOf(rounds.items ?? inline(null), index), last: null },
    carried,
  );
  const end = await runRound(rounds, item);
  settleItem(rounds, end);
  // Where all items are being cancelled already, this one is not what stops them.
  if (end.course.failure === null || step.on_error !== 'stop' || work.consideredCancelled) return;
  for (const other of rounds.open.values()) other.reason = `item ${index} failed`;
  work.cancel();
}

/** Runs `start` for what `next` gives, at most `size` at once; null from `next` is the end. */
async function window(size: number, next: () => number | null, start: (index: number) => Promise<void>): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let index = next(); index !== null; index = next()) await start(index);
  };
  const first: Promise<void>[] = [];
  for (let lanes = 0; lanes < size; lanes++) {
    const index = next();
    if (index === null) break;
    first.push(start(index).then(lane));
  }
  await Promise.all(first);
}

function countOf(items: Value): number | null {
  if (isStored(items)) return items.length ?? null;
  if (Array.isArray(items.value)) return items.value.length;
  return items.value === null || items.value === '' ? 0 : null;
}

function notAList(items: Value): string {
  const found = isStored(items) ? (items.preview ?? `${items.bytes} bytes`) : JSON.stringify(items.value);
  return (
    `Expected a list to go through, got \`${found.slice(0, 120)}\`. A step yields a list with \`schema: {type: ` +
    `array}\`.`
  );
}

function itemOf(items: Value, index: number): Binding {
  if (isStored(items)) return { item: { ref: items.ref, bytes: items.bytes }, at: index };
  return inline(Array.isArray(items.value) ? (items.value[index] ?? null) : null);
}

async function endOfForeach(scope: Scope, step: ForeachStep, rounds: Rounds, count: number): Promise<StepEnd> {
  const end = endOfItems(step, rounds.counts, count);
  const closed = await closeRounds(scope, rounds, end.status === 'success');
  return { ...end, ...closed };
}
