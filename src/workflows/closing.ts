import { CancellationScope } from '@temporalio/workflow';
import type { RunEnd, RunOutcome, RunRecord, StepResult } from '../plan/result.js';
import { resultOf } from '../plan/schedule.js';
import type { Value } from '../plan/value.js';
import { quick } from './activities.js';
import type { RunContext } from './context.js';
import { bodyOutput } from './values.js';

/**
 * The last acts of a run: its output, its results in pages, and for a root run its record under `.perdure/runs/`
 * (decision 7). Runs to its end also when the run was cancelled (I9).
 */
export function closeRun(context: RunContext, status: RunEnd, error: string | null): Promise<RunOutcome> {
  return CancellationScope.nonCancellable(async () => {
    const output = status === 'success' || status === 'partial' ? await bodyOutput(context) : null;
    const outcome: RunOutcome = { status, error, output, spend: context.schedule.spend, pages: context.pages };
    // A cancelled nested run has no Temporal result, so its record is the only place where its results stand.
    if (context.nested !== null && status !== 'cancelled') {
      const page = await writeResults(context);
      return page === null ? outcome : { ...outcome, pages: [...context.pages, page] };
    }
    const pages = await quick.closeRun(recordOf(context, outcome), resultsOf(context));
    return { ...outcome, pages };
  });
}

function recordOf(context: RunContext, outcome: RunOutcome): RunRecord {
  const { plan, input, settings, run, startedAt } = context;
  return {
    ...outcome,
    run,
    plan: plan.hash,
    plan_name: plan.name,
    input,
    budget: settings.budget,
    rehearsal: settings.rehearsal,
    submitted_by: settings.submitted_by,
    started_at: startedAt,
    ended_at: new Date().toISOString(),
  };
}

/** Stores the results of the steps that ended in this Temporal run, from the `from`-th on; null when there are none. */
export async function writeResults(context: RunContext, from = 0): Promise<Value | null> {
  const results = resultsOf(context).slice(from);
  return results.length === 0 ? null : quick.writePage(results);
}

function resultsOf(context: RunContext): StepResult[] {
  return context.schedule.ended.flatMap((index) => resultOf(context.schedule, index, context.plan.agents) ?? []);
}
