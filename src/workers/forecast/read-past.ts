import type { PastRun, PastStep } from '../../compiler/forecast/past.js';
import { stepKey } from '../../compiler/forecast/past.js';
import type { Block, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { Plan } from '../../plan/plan.js';
import type { RoundResult, RunRecord, StepResult } from '../../plan/result.js';
import type { Hash } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { readPages } from '../../store/values/read-pages.js';

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
  const latest: RunRecord[] = [];
  for await (const page of store.closedRuns()) {
    latest.push(...page.filter(tells));
    if (latest.length >= MOST_RUNS) break;
  }
  const past: ClosedRun[] = [];
  for (const record of latest.slice(0, MOST_RUNS)) {
    const read = known.get(record.journal) ?? (await readRun(record, store).catch(() => null));
    if (read !== null) past.push(read);
  }
  known.clear();
  for (const one of past) known.set(one.record.journal, one);
  return past;
}

/** Real ones that came to their own end. */
function tells(record: RunRecord): boolean {
  const { rehearsal, status, rerun_of } = record;
  return !rehearsal && status !== 'cancelled' && rerun_of === undefined && hasActed(record);
}

/** A run that could not begin says nothing of what it takes. */
function hasActed({ pages, status }: RunRecord): boolean {
  return pages.length > 0 || status !== 'error';
}

async function readRun(record: RunRecord, store: Store): Promise<ClosedRun> {
  const plan = await store.getPlan(record.plan);
  const steps = new Map<Hash, PastStep[]>();
  addNames(plan, steps);
  const results = await readPages<StepResult>(store, record.pages);
  await addExecutions({ plan, store, into: steps }, plan, results);
  const took = new Map(results.map((result) => [result.step_index, result.duration_ms]));
  const wall = Date.parse(record.ended_at) - Date.parse(record.started_at);
  const extra_ms = Math.max(0, wall - pathOf(plan.steps, ({ index }) => took.get(index) ?? 0));
  const worked_ms = extra_ms + pathOf(plan.steps, (step) => (isGate(step) ? 0 : (took.get(step.index) ?? 0)));
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

interface Reading {
  plan: Plan;
  store: Store;
  into: Map<Hash, PastStep[]>;
}

/** Of a step that was sent back the last result counts, with all that it took. */
async function addExecutions(reading: Reading, { steps }: Pick<Block, 'steps'>, results: StepResult[]): Promise<void> {
  for (const [index, result] of new Map(results.map((one) => [one.step_index, one]))) {
    const step = steps[index];
    if (step === undefined) continue;
    const rounds = isBlockStep(step) ? await readPages<RoundResult>(reading.store, result.pages) : [];
    reading.into.get(stepKey(step))?.push(executionOf(step, result, rounds.length));
    if (isBlockStep(step)) for (const round of rounds) await addRound(reading, step.body, round);
    const nested = step.kind === 'workflow' ? reading.plan.nested[step.plan] : undefined;
    if (nested !== undefined)
      await addExecutions(reading, nested, await readPages<StepResult>(reading.store, result.pages));
  }
}

async function addRound(reading: Reading, body: Block, { pages, steps }: RoundResult): Promise<void> {
  await addExecutions(reading, body, [...(await readPages<StepResult>(reading.store, pages)), ...steps]);
}

/** What is below a block or a nested run tells for itself; what people took their time for is not counted. */
function executionOf(
  step: Step,
  { status, spend: { usd, tokens }, duration_ms }: StepResult,
  rounds: number,
): PastStep {
  if (isBlockStep(step)) return { ...NOTHING, rounds };
  if (step.kind === 'workflow') return NOTHING;
  if (isGate(step)) return { ...NOTHING, ...(status === 'error' ? { refused: true } : {}) };
  return { usd, tokens, ms: status === 'skipped' ? 0 : duration_ms };
}

const NOTHING = { usd: 0, tokens: 0, ms: 0 };

function isGate({ kind }: Step): boolean {
  return kind === 'approval' || kind === 'ask';
}

/** Milliseconds of the longest way through a run's own steps, as they ended. */
function pathOf(steps: Step[], msOf: (step: Step) => number): number {
  const ends = new Map<number, number>();
  const endOf = (step: Step): number => {
    const known = ends.get(step.index);
    if (known !== undefined) return known;
    ends.set(step.index, 0);
    const begin = Math.max(0, ...step.needs.flatMap((need) => steps[need.step] ?? []).map(endOf));
    ends.set(step.index, begin + msOf(step));
    return begin + msOf(step);
  };
  return Math.max(0, ...steps.map(endOf));
}
