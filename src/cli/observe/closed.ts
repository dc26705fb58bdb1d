import type { Plan, PlanBody } from '../../plan/plan.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import type { RunEnd, RunRecord, StepResult } from '../../plan/result.js';
import type { Step } from '../../plan/step.js';
import { actorOf } from '../../plan/step.js';
import type { Value } from '../../plan/value.js';
import { isStored } from '../../plan/value.js';
import type { Store } from '../../store/store.js';
import type { RunView, StepView } from './view.js';

/** Reads all results that some pages hold, by step index. */
export async function readPages(store: Store, pages: Value[]): Promise<Map<number, StepResult>> {
  const results = new Map<number, StepResult>();
  for (const page of pages) {
    const list = (isStored(page) ? await store.get(page.ref) : page.value) as unknown as StepResult[]; // written by the interpreter, verified by its hash
    for (const result of list) results.set(result.step_index, result);
  }
  return results;
}

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

async function stepViews(closed: ClosedBody): Promise<StepView[]> {
  const results = await readPages(closed.store, closed.pages);
  return Promise.all(closed.body.steps.map((step) => stepView(step, results.get(step.index) ?? null, closed)));
}

async function stepView(step: Step, result: StepResult | null, closed: ClosedBody): Promise<StepView> {
  const path = joinPath(closed.path, segmentOf(step));
  return {
    path,
    step,
    actor: result?.agent ?? actorOf(step, closed.plan.agents),
    model: null,
    status: result?.status ?? 'pending',
    startedAt: null,
    doing: null,
    attempt: result?.attempts ?? 1,
    waitsFor: [],
    result,
    gate: null,
    nested: result !== null && step.kind === 'workflow' && result.run !== null ? await nestedView(step, result, { ...closed, path }) : null,
  };
}

const ENDS: Record<StepResult['status'], RunEnd> = { success: 'success', error: 'error', timeout: 'timeout', skipped: 'cancelled' };

async function nestedView(step: Step & { kind: 'workflow' }, result: StepResult, closed: ClosedBody): Promise<RunView | null> {
  const body = closed.plan.nested[step.plan];
  if (body === undefined) return null;
  const run = result.run ?? closed.run;
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
