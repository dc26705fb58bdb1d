import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { condition } from '../determinism/condition.js';
import type { Batch, BatchScope } from '../../plan/schedule/batch-run.js';
import { BATCH_ITEMS, batchRun } from '../../plan/schedule/batch-run.js';
import { lendSchedule, rootsAfterRound } from '../../plan/schedule/carried-schedule.js';
import { noCounts } from '../../plan/outcomes/course.js';
import type { Failure } from '../../plan/failure.js';
import { segmentOf } from '../../plan/plan.js';
import type { RunOutcome } from '../../plan/result.js';
import type { Carried, RunInput } from '../../plan/run-input.js';
import type { CarriedScope } from '../../plan/schedule/carried.js';
import { rootsOfStep } from '../../plan/references/step-references.js';
import type { BlockStep, ForeachStep } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import { addSpend } from '../../plan/budget/spend.js';
import type { Rounds, Scope } from '../state/context.js';
import { pathOf, shortened } from '../state/context.js';
import { failureFrom } from '../failures.js';
import { startReady } from './step-runner.js';
import { restrictionsOf } from '../state/account.js';
import { collectFrom, lendToBatch } from '../budget/reserve.js';
import { cutReason, runBelow } from './cut-off.js';
import { settleBatch } from './rounds.js';
import { NOT_STARTED, spentBy } from './nested-run.js';

/** At most so many batch runs of one foreach are open: all but one of them wait for people. */
const MOST_BATCHES = 100;

/** A foreach whose items are done in batch runs. */
interface BatchLoop {
  scope: Scope;
  step: ForeachStep;
  rounds: Rounds;
  count: number;
  /** Batch runs that have not ended, by workflow id. */
  open: Map<string, Promise<void>>;
  /** All that runs for it; cancelled as one. */
  work: CancellationScope;
  /** Why the others are cut off once one of them has ended; null while none has. */
  cut: string | null;
}

/**
 * Does what has not started of a foreach in batch runs, in order: one after another, except that those which wait for
 * people keep nobody waiting. Leaves items to the caller where the run starts nothing any more, or one failed that
 * stops the others. Also returns when it is cancelled, once all of it has ended (I9): the caller looks. `rounds.broken`
 * then says why a batch run ended that was cancelled, terminated or not started without this run's doing.
 */
export async function runBatches(scope: Scope, step: ForeachStep, rounds: Rounds, count: number): Promise<void> {
  const loop: BatchLoop = { scope, step, rounds, count, open: new Map(), work: new CancellationScope(), cut: null };
  try {
    for (;;) {
      await condition(() => mayStart(loop) || isOver(loop));
      if (isOver(loop)) break;
      start(loop);
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  await CancellationScope.nonCancellable(() => Promise.all(loop.open.values()));
}

function mayStart(loop: BatchLoop): boolean {
  const {
    scope: {
      context: { runningSteps },
    },
    step,
    open,
  } = loop;
  if (runningSteps.draining || !isLeft(loop)) return false;
  // The items of several batches would be more than the foreach's own window.
  return step.max_parallel === null
    ? open.size < MOST_BATCHES && [...open.keys()].every((run) => runningSteps.waiting.has(run))
    : open.size === 0;
}

/** Tells whether items are left that a batch may do. */
function isLeft({ scope: { context }, rounds, count, work }: BatchLoop): boolean {
  return rounds.next < count && !work.consideredCancelled && restrictionsOf(context.account).stop === null;
}

/** A run that is about to continue as new waits: the next one goes on. */
function isOver(loop: BatchLoop): boolean {
  return loop.open.size === 0 && !isLeft(loop);
}

function start(loop: BatchLoop): void {
  const { scope, step, rounds, open, work, count } = loop;
  const items = { from: rounds.next, end: Math.min(rounds.next + BATCH_ITEMS, count) };
  const run = batchRun(`${scope.context.root.run}/${pathOf(scope, step)}`, items.from, items.end);
  rounds.next = items.end;
  const over = work
    .run(() => runBatch(loop, run, items))
    .then(
      () => {
        if (rounds.counts.failures.count === 0 || step.on_error !== 'stop') return;
        if (!work.consideredCancelled) loop.cut = `an item of \`${run}\` failed`;
        work.cancel();
      },
      async (error: unknown) => {
        if (!work.consideredCancelled) {
          rounds.broken = failureOf(run, error);
          loop.cut = `\`${run}\` was ended by others`;
        }
        rounds.cancelled.push(run);
        work.cancel();
        const { context } = scope;
        const spent = await spentBy(error, { root: context.root, path: pathOf(scope, step), items });
        rounds.spend = addSpend(rounds.spend, spent);
      },
    );
  open.set(
    run,
    over.then(() => {
      open.delete(run);
    }),
  );
}

/** A batch run that others cancelled is a failure here: nobody cancelled this run. */
function failureOf(run: string, error: unknown): Failure {
  const { type, message } = failureFrom(error);
  return { type: type === 'cancelled' ? 'nested-failed' : type, message: `\`${run}\`: ${message}` };
}

/** One batch, as a child workflow of the same interpreter. Throws what is not the batch's own end. */
async function runBatch(loop: BatchLoop, run: string, items: { from: number; end: number }): Promise<void> {
  const { scope, step, rounds } = loop;
  const {
    context,
    context: { runningSteps },
  } = scope;
  let outcome: RunOutcome | null = NOT_STARTED;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const input: RunInput = {
    plan: shortened(context, context.plan),
    input: context.input,
    root: context.root,
    path: context.path,
    lease: lendToBatch(context, run, { step, count: items.end - items.from, opened }),
    tree: { parent: context.run, climate: restrictionsOf(context.account) },
    settings: context.settings,
    link_steps: context.linkSteps,
    batch: batchOf(scope, step),
    carried: carriedInto(scope, step, rounds, items),
  };
  runningSteps.children += 1;
  try {
    outcome = await runBelow(context, {
      run,
      input,
      plan: context.plan,
      summary: `${segmentOf(step)}: items ${items.from} to ${items.end - 1}`,
      reason: () => loop.cut ?? cutReason(scope, step),
      onStart: () => {
        outcome = null;
        open();
      },
    });
    settleBatch(rounds, outcome);
  } finally {
    runningSteps.children -= 1;
    runningSteps.waiting.delete(run);
    collectFrom(context, run, outcome);
    startReady(context);
  }
}

/** Where the foreach stands, with what its body can refer to around it. */
function batchOf(scope: Scope, step: ForeachStep): Batch {
  const scopes: BatchScope[] = [];
  let below: BlockStep = step;
  for (let around: Scope | null = scope; around !== null; around = around.outer) {
    const owner = ownerOf(around);
    const { index, item, schedule, last, blockPath } = around;
    const before =
      last === null || owner?.kind !== 'loop' ? null : { ...lendSchedule(last, rootsAfterRound(owner)), pages: [] };
    scopes.unshift({
      carried: { ...lendSchedule(schedule, rootsOfStep(below)), pages: [] },
      owner: blockPath.at(-1) ?? 0,
      index: index ?? 0,
      item,
      last: before,
    });
    below = owner ?? below;
  }
  return { nested: scope.context.nested, scopes, step: step.index };
}

/** The step whose body a scope is; null for a run's own steps. */
function ownerOf({ outer, blockPath }: Scope): BlockStep | null {
  const step = outer?.schedule.body.steps[blockPath.at(-1) ?? -1];
  return step !== undefined && isBlockStep(step) ? step : null;
}

/** How far the run is as a batch sees it: everything around its items is over. */
function carriedInto(
  scope: Scope,
  step: ForeachStep,
  { items }: Rounds,
  { from, end }: { from: number; end: number },
): Carried {
  const { context, schedule } = scope;
  const carried: CarriedScope = { ...lendSchedule(schedule, rootsOfStep(step)), pages: [] };
  const statuses = [...carried.statuses]
    .map((letter, index) => (index === step.index ? 'p' : /[pr]/.test(letter) ? 'k' : letter))
    .join('');
  const block = { items, next: from, end, open: {}, last: null, counts: noCounts(), spend: carried.spend, pages: [] };
  return { ...carried, statuses, blocks: { [pathOf(scope, step)]: block }, gates: [], started_at: context.startedAt };
}
