import type { PastRun, PastStep } from '../../compiler/forecast/past.js';
import { stepKey } from '../../compiler/forecast/past.js';
import type { Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { Plan } from '../../plan/plan.js';
import type { RunRecord } from '../../plan/result.js';
import type { Hash } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { viewOfRecord } from '../observe/closed.js';
import type { RunView, StepView } from '../observe/view.js';
import { nestedIn } from '../observe/view.js';

/** Older runs are not looked at. */
const MOST_RUNS = 200;

/** A closed run as forecasts know it. */
export interface ClosedRun extends PastRun {
  record: RunRecord;
  plan: Plan;
  /** Milliseconds from its start to its end, without the time that people took at its own gates. */
  worked_ms: number;
}

/** What was read of closed runs before, by their journals: that does not change. */
type KnownRuns = Map<string, ClosedRun>;

/**
 * The latest closed runs whose steps a forecast can be made from: real ones that came to their own end. What was taken
 * over from an earlier run cost nothing, and says nothing. A run that cannot be read any more is left out. What is in
 * `known` is not read again; it has the same runs then.
 */
export async function readPast(store: Store, known: KnownRuns = new Map()): Promise<ClosedRun[]> {
  const runs = (await store.listRuns()).filter((run) => !run.includes('/'));
  const records = (await Promise.all(runs.map((run) => store.readRun(run).catch(() => null)))).flatMap((record) =>
    record === null || record.rehearsal || record.status === 'cancelled' || record.rerun_of !== undefined
      ? []
      : [record],
  );
  records.sort((a, b) => (a.ended_at > b.ended_at ? -1 : 1));
  const latest = records.slice(0, MOST_RUNS);
  const past: ClosedRun[] = [];
  for (const record of latest) {
    const read = known.get(record.journal) ?? (await readRun(record, store).catch(() => null));
    if (read !== null) past.push(read);
  }
  known.clear();
  for (const one of past) known.set(one.record.journal, one);
  return past;
}

async function readRun(record: RunRecord, store: Store): Promise<ClosedRun> {
  const plan = await store.getPlan(record.plan);
  const steps = new Map<Hash, PastStep[]>();
  addNames(plan, steps);
  const view = await viewOfRecord(record, store);
  addExecutions(view, steps);
  const took = (one: StepView): number => one.result?.duration_ms ?? 0;
  const wall = Date.parse(record.ended_at) - Date.parse(record.started_at);
  const extra_ms = Math.max(0, wall - pathOf(view.steps, took));
  const worked_ms = extra_ms + pathOf(view.steps, (one) => (isGate(one.step) ? 0 : took(one)));
  return { record, plan, steps, extra_ms, worked_ms };
}

function addNames(plan: Plan, into: Map<Hash, PastStep[]>): void {
  const add = (steps: Step[]): void => {
    for (const step of steps) {
      into.set(stepKey(step), []);
      if (isBlockStep(step)) add(step.body.steps);
    }
  };
  for (const { steps } of [plan, ...Object.values(plan.nested)]) add(steps);
}

function addExecutions({ steps }: Pick<RunView, 'steps'>, into: Map<Hash, PastStep[]>): void {
  for (const view of steps) {
    const executions = into.get(stepKey(view.step));
    if (executions !== undefined && view.result !== null) executions.push(executionOf(view));
    for (const round of view.rounds) addExecutions(round, into);
    if (view.step.kind === 'workflow') for (const run of nestedIn(view)) addExecutions(run, into);
  }
}

/** What is below a block or a nested run tells for itself; what people took their time for is not counted. */
function executionOf({ step, result, rounds }: StepView): PastStep {
  if (isBlockStep(step)) return { ...NOTHING, rounds: rounds.length };
  if (step.kind === 'workflow') return NOTHING;
  if (isGate(step)) return { ...NOTHING, ...(result?.status === 'error' ? { refused: true } : {}) };
  const { usd, tokens } = result?.spend ?? NOTHING;
  return { usd, tokens, ms: result?.status === 'skipped' ? 0 : (result?.duration_ms ?? 0) };
}

const NOTHING = { usd: 0, tokens: 0, ms: 0 };

function isGate({ kind }: Step): boolean {
  return kind === 'approval' || kind === 'ask';
}

/** Milliseconds of the longest way through a run's own steps, as they ended. */
function pathOf(steps: StepView[], msOf: (view: StepView) => number): number {
  const ends = new Map<number, number>();
  const endOf = (view: StepView): number => {
    const known = ends.get(view.step.index);
    if (known !== undefined) return known;
    ends.set(view.step.index, 0);
    const begin = Math.max(0, ...view.step.needs.flatMap((need) => steps[need.step] ?? []).map(endOf));
    ends.set(view.step.index, begin + msOf(view));
    return begin + msOf(view);
  };
  return Math.max(0, ...steps.map(endOf));
}
