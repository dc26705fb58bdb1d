import type { Plan, PlanBody } from '../../plan/plan.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import type { RunEnd, RunRecord, StepResult } from '../../plan/result.js';
import type { Value } from '../../plan/value.js';
import type { Store } from '../../store/store.js';
import { readTruth } from './truth.js';
import type { RunView, StepView } from './view.js';
import { everyStepView } from './view.js';
import { writtenStep } from './written.js';

/** A closed run from what the store kept of it, also when the server has forgotten it or is not there. */
export async function viewOfRecord(record: RunRecord, store: Store): Promise<RunView> {
  const plan = await store.getPlan(record.plan);
  const { run, status, error, output, spend, budget, rehearsal } = record;
  return {
    run,
    path: '',
    name: plan.name,
    plan: record.plan,
    status,
    error,
    output,
    steps: await stepViews({ body: plan, run, path: '', plan, pages: record.pages, store }),
    groups: plan.groups,
    spend,
    budget,
    rehearsal,
    submittedBy: record.submitted_by,
    input: record.input,
    startedAt: Date.parse(record.started_at),
    endedAt: Date.parse(record.ended_at),
    cancelling: false,
  };
}

interface ClosedBody {
  body: PlanBody;
  run: string;
  path: string;
  plan: Plan;
  pages: Value[];
  store: Store;
}

async function stepViews({ body, path, plan, pages, store, ...closed }: ClosedBody): Promise<StepView[]> {
  const truth = await readTruth(store, body, path, pages);
  const views = body.steps.map((step) => writtenStep({ step, path: joinPath(path, segmentOf(step)) }, { truth, agents: plan.agents }));
  for (const view of everyStepView(views)) view.nested = await nestedView(view, { ...closed, body, path: view.path, plan, pages, store });
  return views;
}

const ENDS: Record<StepResult['status'], RunEnd> = { success: 'success', error: 'error', timeout: 'timeout', skipped: 'cancelled' };

async function nestedView({ step, result }: StepView, closed: ClosedBody): Promise<RunView | null> {
  const body = step.kind === 'workflow' ? closed.plan.nested[step.plan] : undefined;
  if (step.kind !== 'workflow' || body === undefined || result === null || result.run === null) return null;
  const { run } = result;
  return {
    run,
    path: closed.path,
    name: body.name,
    plan: step.plan,
    status: ENDS[result.status],
    error: result.error,
    output: result.output,
    steps: await stepViews({ ...closed, body, run, pages: result.pages }),
    groups: body.groups,
    spend: result.spend,
    budget: body.budgets,
    rehearsal: false,
    submittedBy: null,
    input: {},
    startedAt: 0,
    endedAt: 0,
    cancelling: false,
  };
}
