import { CancellationScope } from '@temporalio/workflow';
import { limitsNow } from '../../plan/budget/limits-now.js';
import { modelIds } from '../../plan/agents/model-choice.js';
import { noCounts } from '../../plan/outcomes/course.js';
import type { RunEnd, RunOutcome, ClosingRun, StepResult } from '../../plan/result.js';
import { branchOf } from '../../plan/worktree.js';
import { resultOf } from '../../plan/schedule/schedule.js';
import type { Value } from '../../plan/values/value.js';
import { quick } from '../activities.js';
import type { RunContext, Scope } from '../state/context.js';
import { chargedIn } from '../budget/account.js';
import { scopeOutput } from '../state/values.js';

/**
 * The last acts of a run: its output, its results in pages, and for a root run its record under `.perdure/runs/`
 * (decision 7). Runs to its end also when the run was cancelled (I9).
 */
export function closeRun(top: Scope, status: RunEnd, error: string | null): Promise<RunOutcome> {
  return CancellationScope.nonCancellable(async () => {
    if (top.context.isBatch) return closeBatch(top, status);
    const output = status === 'success' || status === 'partial' ? await scopeOutput(top) : null;
    const outcome: RunOutcome = {
      status,
      error,
      output,
      spend: top.schedule.spend,
      pages: top.pages,
      charged: chargedIn(top.context.account),
    };
    // A cancelled nested run has no Temporal result, so its record is the only place where its results stand; of one
    // that was made it is the only place that tells its Plan.
    if (top.context.nested !== null && status !== 'cancelled' && !isMade(top.context)) {
      const page = await writeResults(top);
      return page === null ? outcome : { ...outcome, pages: [...top.pages, page] };
    }
    const pages = await quick.closeRun(recordOf(top.context, outcome), resultsOf(top));
    return { ...outcome, pages };
  });
}

/** Tells whether a nested run's Plan was made while the root ran: it is no part of the root's. */
function isMade({ nested, root }: RunContext): boolean {
  return nested === root.plan;
}

/** A batch run hands over what its items came to; one that was cancelled has no result, and writes it down. */
async function closeBatch({ context, schedule }: Scope, status: RunEnd): Promise<RunOutcome> {
  const { counts, pages } = context.items ?? { counts: noCounts(), pages: [] };
  const outcome: RunOutcome = {
    status,
    error: null,
    output: null,
    spend: schedule.spend,
    pages,
    charged: chargedIn(context.account),
    items: counts,
  };
  if (status === 'cancelled') await quick.closeRun(recordOf(context, outcome), []);
  return outcome;
}

function recordOf(context: RunContext, outcome: RunOutcome): ClosingRun {
  const { plan, input, settings, root, run, startedAt } = context;
  return {
    ...outcome,
    run,
    plan: plan.hash,
    plan_name: plan.name,
    input,
    budget: context.path === '' ? limitsNow(settings.budget, context.account) : settings.budget,
    rehearsal: settings.rehearsal,
    models: modelIds(settings.models),
    submitted_by: settings.submitted_by,
    ...(settings.definition === undefined ? {} : { definition: settings.definition }),
    ...(settings.project === undefined ? {} : { project: settings.project }),
    workspace: settings.workspace,
    ...(settings.worktree === undefined ? {} : { branch: branchOf(root.run) }),
    ...(settings.context === undefined ? {} : { context: settings.context }),
    ...(settings.agents_md === undefined ? {} : { agents_md: settings.agents_md }),
    journal: root.first,
    ...(settings.trace === undefined ? {} : { trace: settings.trace }),
    ...(settings.reuse === undefined
      ? {}
      : { rerun_of: settings.reuse.run, done_before: settings.reuse.done ?? settings.reuse.happened ?? [] }),
    started_at: startedAt,
    ended_at: new Date().toISOString(),
  };
}

/** Stores those results; null when there are none. */
export async function writeResults(scope: Scope): Promise<Value | null> {
  const results = resultsOf(scope);
  return results.length === 0 ? null : quick.writePage(results);
}

/** The results of the steps of a scope that ended in this Temporal run and are in no page yet, in that order. */
export function resultsOf({ schedule, agents, written }: Scope): StepResult[] {
  return schedule.ended.slice(written).flatMap((index) => resultOf(schedule, index, agents) ?? []);
}
