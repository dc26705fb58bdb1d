import type { Plan } from '../../plan/plan.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { Block, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { Config } from '../../compiler/project/config.js';
import { forecastOf } from '../../compiler/forecast/forecast.js';
import type { PastRun } from '../../compiler/forecast/past.js';
import type { PastForecast, Rest } from '../../compiler/forecast/simulate.js';
import type { Level } from '../observe/place.js';
import { levelsTo } from '../observe/place.js';
import type { OpenGate, RunView, StepView } from '../observe/view/view.js';
import { whatOf } from '../render/plan/plan-picture.js';
import { executionBudget } from '../render/json.js';
import { forecastPlan } from '../../workers/forecast/forecast-plan.js';
import type { PriceRange } from '../../workers/forecast/price-range.js';
import { priceRange } from '../../workers/forecast/price-range.js';
import type { CallCount } from '../forecast/forecast-words.js';
import { countCalls } from '../forecast/forecast-words.js';

const REMAINING = ['steps_remaining', 'tokens_remaining', 'cost_remaining_usd'];

/** What a decision lets happen, and what that may use. */
export interface GateBill {
  /** Steps that wait for it, those in them included, in the order of the Plan. */
  follows: Following[];
  price: PriceRange;
  calls: CallCount;
  /** What closed runs let expect of it; null where they say too little, or where nothing follows. */
  forecast: PastForecast | null;
  /** Steps whose own steps are made only when they begin: nothing of what these do is counted. */
  made: string[];
  /** Lists of which one item is counted, because nobody knows yet how many there are. */
  perItem: string[];
  /** Loops that may begin another round, and how many they have left. */
  rounds: { name: string; left: number }[];
  /** What may still be used: in each limit the least of its run's own and those of the runs above. */
  budget: JsonObject;
}

/** A step that can begin only when the gate is decided. */
export interface Following {
  name: string;
  kind: Step['kind'];
  /** Who or what acts, as the author wrote it. */
  what: string;
  effect: Step['effect'];
  /** It runs only on a condition. */
  conditional: boolean;
  /** How deep it is in others that follow. */
  depth: number;
}

/** Where prices, forecasts and the usual program come from. */
export interface Prices {
  plan: Plan;
  config: Pick<Config, 'models' | 'agents'>;
  env: Record<string, string | undefined>;
  past: readonly PastRun[];
}

/** What follows when a gate is approved: by the edges of the Plan, for the steps that have not begun. */
export function billOf(view: RunView, { gate }: OpenGate, { plan, config, env, past }: Prices): GateBill {
  const levels = levelsTo(view, gate.path);
  const parts = levels.toReversed().map((level, depth) => {
    const after = dependents(level, depth === 0 && isWithin(level));
    return { ...level, after, forecast: forecastAt(level, after, { plan, config }) };
  });
  const calls = parts.flatMap(({ forecast }) => forecast.calls);
  const follows = parts.flatMap(({ after }) => after.flatMap(({ step }) => followingIn(step, plan, 0)));
  const isUnknown = (level: Level, one: StepView): boolean =>
    one.step.kind === 'plan' && forecastAt(level, [one], { plan, config }).calls.length === 0;
  const made = parts.flatMap(({ after, ...level }) => after.filter((one) => isUnknown(level, one)));
  return {
    follows,
    price: priceRange(calls, config.models, env),
    calls: countCalls(calls),
    made: made.map(({ step }) => nameOf(step)),
    forecast: forecastPlan(plan, past, { models: config.models, env }, restOf(parts)),
    perItem: parts.flatMap(({ forecast }) => forecast.perItem.map(({ path }) => path)),
    rounds: levels.flatMap((level, index) => roundsLeft(level, levels[index + 1])),
    budget: leastBudget([view, ...new Set(levels.map(({ run }) => run).filter((run) => run !== view))]),
  };
}

function leastBudget([root, ...nested]: [RunView, ...RunView[]]): JsonObject {
  const least = executionBudget(root);
  for (const budget of nested.map((run) => executionBudget(run)))
    for (const name of REMAINING) {
      const [before = null, own = null] = [least[name], budget[name]];
      if (own !== null && (before === null || own < before)) least[name] = own;
    }
  return least;
}

/** Tells whether the gate asks about its own step, which goes on once it is decided. */
function isWithin({ step: { step } }: Level): boolean {
  return step.kind !== 'approval' && step.kind !== 'ask';
}

/** What follows as a forecast takes it; `levels` are those of the gate, the innermost first. */
function restOf(levels: (Level & { after: StepView[] })[]): Rest {
  const [innermost] = levels;
  return {
    gate: innermost === undefined || isWithin(innermost) ? null : innermost.step.step,
    parts: levels.map(({ run, beside, after }) => ({
      block: { steps: beside.map(({ step }) => step), groups: run.groups, output: null },
      after: new Set(after.map(({ step }) => step.index)),
    })),
  };
}

/** Steps beside this one that wait for it, whatever lies between. */
function dependents({ beside, step }: Level, withItself: boolean): StepView[] {
  const reached = new Set([step.step.index]);
  for (let before = 0; before !== reached.size;) {
    before = reached.size;
    for (const { step: other } of beside)
      if (other.needs.some((need) => reached.has(need.step))) reached.add(other.index);
  }
  return beside.filter(
    (other) => (other === step ? withItself : other.result === null) && reached.has(other.step.index),
  );
}

function forecastAt(
  { run, beside, step: { step } }: Level,
  after: StepView[],
  { plan, config }: Pick<Prices, 'plan' | 'config'>,
): ReturnType<typeof forecastOf> {
  const steps = beside.map((one) => one.step);
  const groups = Object.values(run.groups).flat().includes(step.index) ? run.groups : {};
  return forecastOf(
    { ...plan, steps, groups, output: null },
    config.agents?.default ?? null,
    new Set(after.map((one) => one.step.index)),
  );
}

/** The round that a loop is in ends with what follows; then it may begin another. */
function roundsLeft({ step: { step } }: Level, inner: Level | undefined): GateBill['rounds'] {
  if (step.kind !== 'loop' || inner === undefined) return [];
  const left = step.max - 1 - (inner.round ?? 0);
  return left > 0 ? [{ name: nameOf(step), left }] : [];
}

function followingIn(step: Step, plan: Plan, depth: number): Following[] {
  const inner: Block | undefined = isBlockStep(step)
    ? step.body
    : step.kind === 'workflow'
      ? plan.nested[step.plan]
      : undefined;
  return [
    {
      name: nameOf(step),
      kind: step.kind,
      what: whatOf(step, plan.agents),
      effect: step.effect,
      conditional: step.when !== null,
      depth,
    },
    ...(inner?.steps ?? []).flatMap((one) => followingIn(one, plan, depth + 1)),
  ];
}

function nameOf({ id, index }: Pick<Step, 'id' | 'index'>): string {
  return id ?? String(index);
}
