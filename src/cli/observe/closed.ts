import { stepPathOf } from '../../plan/agents/conversation.js';
import type { Plan, PlanBody } from '../../plan/plan.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import type { RunEnd, RunRecord, StepResult } from '../../plan/result.js';
import type { Value } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { readTitleTexts } from './titles.js';
import { readTruth } from './view/truth.js';
import type { RunView, StepView } from './view/view.js';
import { everyStepView, pathBelow } from './view/view.js';
import { writtenStep } from './written.js';

/** A closed run from what the store kept of it, also when the server has forgotten it or is not there. */
export async function viewOfRecord(record: RunRecord, store: Store): Promise<RunView> {
  const plan = await store.getPlan(record.plan);
  const { run: root, models = {} } = record;
  return recordView(record, { body: plan, plan, store, root, models, records: await store.listRuns(root) });
}

interface Closed {
  body: PlanBody;
  /** The Plan that `body` is of. */
  plan: Plan;
  store: Store;
  root: string;
  /** Full ids of the models of the run, by their names. */
  models: Record<string, string>;
  /** Ids of nested runs that left a record. */
  records: string[];
}

async function recordView(record: RunRecord, closed: Closed): Promise<RunView> {
  const { run, status, error, output, spend, budget, rehearsal } = record;
  const path = pathBelow(run);
  return {
    run,
    path,
    name: record.plan_name,
    plan: record.plan,
    status,
    error,
    output,
    steps: await stepViews({ ...closed, models: record.models ?? closed.models }, path, record.pages),
    groups: closed.body.groups,
    spend,
    ...(record.charged === undefined ? {} : { charged: record.charged }),
    budget,
    rehearsal,
    ...(path === '' ? { journal: record.journal } : {}),
    ...(record.branch === undefined ? {} : { branch: record.branch }),
    submittedBy: record.submitted_by,
    input: record.input,
    startedAt: Date.parse(record.started_at),
    endedAt: Date.parse(record.ended_at),
    cancelling: false,
  };
}

async function stepViews(closed: Closed, path: string, pages: Value[]): Promise<StepView[]> {
  const { body, plan, store, models } = closed;
  const truth = await readTruth(store, body, path, pages);
  const titleTexts = await readTitleTexts(body, plan.agents, store);
  const views = body.steps.map((step) =>
    writtenStep({ step, path: joinPath(path, segmentOf(step)) }, { truth, agents: plan.agents, models, titleTexts }),
  );
  for (const view of everyStepView(views)) Object.assign(view, await nestedViews(view, closed));
  return views;
}

const ENDS: Record<StepResult['status'], RunEnd> = {
  success: 'success',
  error: 'error',
  timeout: 'timeout',
  skipped: 'cancelled',
};

/** How a nested run ended, by what it made of the step that started it. */
function endIn({ status, partial, failure }: StepResult): RunEnd {
  if (failure === 'nested-ended') return 'cancelled';
  return partial === undefined ? ENDS[status] : 'partial';
}

/** The runs below a step: by its result where the Plan has them, else by the records that they left. */
async function nestedViews(
  { step, path, result }: StepView,
  closed: Closed,
): Promise<Pick<StepView, 'nested' | 'others'>> {
  const { plan, root, records } = closed;
  const body = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
  if (step.kind === 'workflow' && body !== undefined && result !== null && result.run !== null) {
    // One that others cancelled has written itself what it had come to.
    const [own] = result.failure === 'nested-ended' ? await viewBelow(result.run, closed) : [];
    if (own !== undefined) return { nested: own, others: [] };
    return { nested: await writtenView(step.plan, path, result, { ...closed, body }), others: [] };
  }
  const address = `${root}/${path}`;
  const views: RunView[] = [];
  for (const run of records
    .filter((id) => id === address || (step.kind === 'agent' && stepPathOf(id) === address))
    .sort(inOrder)) {
    views.push(...(await viewBelow(run, closed)));
  }
  const nested = views.pop() ?? null;
  return { nested, others: views };
}

/** Turns and calls are numbers. */
function inOrder(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** One or none: what a record names may have been removed. */
async function viewBelow(run: string, closed: Closed): Promise<RunView[]> {
  const record = await closed.store.readRun(run);
  if (record === null) return [];
  const body = closed.plan.nested[record.plan];
  if (body !== undefined) return [await recordView(record, { ...closed, body })];
  const plan = await closed.store.getPlan(record.plan);
  return [await recordView(record, { ...closed, body: plan, plan })];
}

async function writtenView(hash: RunView['plan'], path: string, result: StepResult, closed: Closed): Promise<RunView> {
  const { run, error, partial, output, pages, spend } = result;
  const { body } = closed;
  return {
    run: run ?? '',
    path,
    name: body.name,
    plan: hash,
    status: endIn(result),
    error: partial ?? error,
    output,
    steps: await stepViews(closed, path, pages),
    groups: body.groups,
    spend,
    budget: body.budgets,
    rehearsal: false,
    submittedBy: null,
    input: {},
    startedAt: 0,
    endedAt: 0,
    cancelling: false,
  };
}
