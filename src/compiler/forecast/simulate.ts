import { DEFAULT_BUDGETS } from '../../plan/budget/budgets.js';
import type { Plan } from '../../plan/plan.js';
import type { Block, BlockStep, ForeachStep, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import { lengthOf } from './forecast.js';
import type { PastRun, PastStep } from './past.js';
import { stepKey } from './past.js';
import { createRandom } from './random.js';

/** Fewer runs say too little of how much they differ. */
export const FEWEST_RUNS = 3;
/** Simulated runs, and steps over all of them. */
const MOST_RUNS = 2_000;
const FEWEST_SIMULATED = 200;
const MOST_STEPS = 1_000_000;

/** Half of all runs, and 95 of 100, end at or below these. */
export interface Quantiles {
  p50: number;
  p95: number;
}

/** What a run of a Plan may take, by what closed runs have taken. */
export interface PastForecast {
  /** Closed runs that it is made from. */
  runs: number;
  /** US dollars; null where the price of what they called is not known. */
  usd: Quantiles | null;
  tokens: Quantiles;
  /** Milliseconds, without the time that people take. */
  ms: Quantiles;
  /** Steps that no run has done so far: of these the static range is counted. */
  unknown: string[];
}

/** What one call of a step may take at least and at most where no run has done it. */
export type Guess = (step: Step, block: Block) => { usd: [least: number, most: number]; tokens: [number, number] };

/** What is still to come of a run once a gate is decided. */
export interface Rest {
  /** The gate; null where a step asks about itself. */
  gate: Step | null;
  /** Steps that begin only then, the innermost block first: each block's when those of the one before have ended. */
  parts: { block: Block; after: ReadonlySet<number> }[];
}

interface Taken {
  usd: number | null;
  tokens: number;
  ms: number;
}

/**
 * Simulates runs of a Plan. Each follows one closed run, drawn at random, so that what goes together in a run stays
 * together; steps that this one does not have are drawn from the others. Null where fewer than three runs say something
 * of it, or none says anything of the steps that ask models. The same past gives the same forecast. With `rest` only
 * that is simulated, by the runs in which the gate was not refused.
 */
export function simulate(plan: Plan, past: readonly PastRun[], guess: Guess, rest?: Rest): PastForecast | null {
  const parts: Part[] = rest?.parts ?? [{ block: plan, after: null }];
  const keys = keysOf(plan, parts);
  const own = new Set(keys.values());
  const usable = past.filter(
    (run) => [...own].some((key) => (run.steps.get(key)?.length ?? 0) > 0) && passed(rest?.gate ?? null, run),
  );
  const pool = poolOf(usable, own);
  const unknown = [...keys].filter(([step, key]) => asks(step) && !pool.has(key));
  const asking = [...keys].filter(([step]) => asks(step)).length;
  if (usable.length < FEWEST_RUNS || (asking > 0 && unknown.length === asking)) return null;
  const random = createRandom(`${plan.hash} ${usable.length}`);
  const world: World = { plan, keys, pool, guess, random, steps: 0, from: NO_RUN };
  const spread = spreadOf(usable, own);
  const extra = rest === undefined ? 1 : keys.size / Math.max(1, keysOf(plan, [{ block: plan, after: null }]).size);
  const ends: Taken[] = [];
  while (ends.length < MOST_RUNS && (ends.length < FEWEST_SIMULATED || world.steps < MOST_STEPS)) {
    world.from = usable[Math.floor(random.uniform() * usable.length)] ?? NO_RUN;
    const { usd, tokens, ms } = inRow(parts.map(({ block, after }) => takeBlock(block, world, after)));
    const z = random.normal();
    ends.push({
      usd: usd === null ? null : usd * Math.exp(z * spread.usd),
      tokens: tokens * Math.exp(z * spread.tokens),
      ms: (ms + world.from.extra_ms * Math.min(1, extra)) * Math.exp(z * spread.ms),
    });
  }
  const priced = ends.map(({ usd }) => usd);
  return {
    runs: usable.length,
    usd: priced.every((usd) => usd !== null) ? quantiles(priced) : null,
    tokens: quantiles(ends.map(({ tokens }) => tokens)),
    ms: quantiles(ends.map(({ ms }) => ms)),
    unknown: [...new Set(unknown.map(([step]) => step.id ?? String(step.index)))],
  };
}

/** Steps of a block that are simulated; null for all. */
interface Part {
  block: Block;
  after: ReadonlySet<number> | null;
}

/** Tells whether a run went on at the gate: one that has another gate there says nothing of that. */
function passed(gate: Step | null, { steps }: PastRun): boolean {
  const ends = gate === null ? undefined : steps.get(stepKey(gate));
  return ends === undefined || ends.some(({ refused }) => refused !== true);
}

/** What a simulated run draws from. */
interface World {
  plan: Plan;
  keys: ReadonlyMap<Step, Hash>;
  pool: ReadonlyMap<Hash, PastStep[]>;
  guess: Guess;
  random: ReturnType<typeof createRandom>;
  /** Steps that were simulated so far. */
  steps: number;
  /** The run that this one follows. */
  from: PastRun;
}

const NO_RUN: PastRun = { steps: new Map(), extra_ms: 0 };
const NOTHING: Taken = { usd: 0, tokens: 0, ms: 0 };

/** The steps that are simulated, with what is in them, each by what it does. */
function keysOf({ nested }: Plan, parts: Part[]): Map<Step, Hash> {
  const keys = new Map<Step, Hash>();
  const seen = new Set<Block>();
  const add = (block: Block | undefined, after: Part['after'] = null): void => {
    if (block === undefined || seen.has(block)) return;
    if (after === null) seen.add(block);
    for (const step of block.steps) {
      if (after?.has(step.index) === false) continue;
      keys.set(step, stepKey(step));
      if (isBlockStep(step)) add(step.body);
      if (step.kind === 'workflow') add(nested[step.plan]);
    }
  };
  for (const { block, after } of parts) add(block, after);
  return keys;
}

function asks({ kind }: Step): boolean {
  return kind === 'agent' || kind === 'plan';
}

function poolOf(past: readonly PastRun[], own: ReadonlySet<Hash>): Map<Hash, PastStep[]> {
  const pool = new Map<Hash, PastStep[]>();
  for (const { steps } of past)
    for (const [key, executions] of steps)
      if (own.has(key) && executions.length > 0) pool.set(key, [...(pool.get(key) ?? []), ...executions]);
  return pool;
}

/** Steps of a block begin when those before them have ended; of all but those in `after` nothing is taken. */
function takeBlock(block: Block, world: World, after: Part['after'] = null): Taken {
  const ends = new Map<number, number>();
  const total = { ...NOTHING };
  const endOf = (step: Step): number => {
    const known = ends.get(step.index);
    if (known !== undefined) return known;
    ends.set(step.index, 0); // a Plan has no loops of edges
    const begin = step.needs.reduce((latest, need) => {
      const needed = block.steps[need.step];
      return needed === undefined ? latest : Math.max(latest, endOf(needed));
    }, 0);
    const taken = after?.has(step.index) === false ? NOTHING : takeStep(step, block, world);
    total.usd = plus(total.usd, taken.usd);
    total.tokens += taken.tokens;
    ends.set(step.index, begin + taken.ms);
    return begin + taken.ms;
  };
  total.ms = block.steps.reduce((latest, step) => Math.max(latest, endOf(step)), 0);
  return total;
}

function takeStep(step: Step, block: Block, world: World): Taken {
  world.steps += 1;
  const drawn = draw(step, world);
  if (drawn === 'not reached') return NOTHING;
  if (isBlockStep(step)) return takeRounds(step, drawn, world);
  if (step.kind !== 'workflow') return drawn ?? guessed(step, block, world);
  const nested = world.plan.nested[step.plan];
  return nested === undefined ? NOTHING : takeBlock(nested, world);
}

/** Of a step that no run has done one round is counted. */
function takeRounds(step: BlockStep, drawn: PastStep | null, world: World): Taken {
  const length = (step.kind === 'foreach' ? lengthOf(step.items) : null) ?? drawn?.rounds ?? 1;
  const rounds = Array.from({ length }, () => takeBlock(step.body, world));
  return step.kind === 'loop' ? inRow(rounds) : sideBySide(rounds, slotsOf(step, world.plan));
}

/** An execution of the run that is followed, else of another one; null where no run has done the step. */
function draw(step: Step, { keys, pool, from, random }: World): PastStep | 'not reached' | null {
  const key = keys.get(step);
  const own = key === undefined ? undefined : from.steps.get(key);
  if (own?.length === 0) return 'not reached';
  const executions = own ?? (key === undefined ? undefined : pool.get(key));
  return executions?.[Math.floor(random.uniform() * executions.length)] ?? null;
}

function guessed(step: Step, block: Block, { guess, random }: World): Taken {
  if (!asks(step)) return NOTHING;
  const { usd, tokens } = guess(step, block);
  const at = random.uniform();
  return { usd: between(usd, at), tokens: between(tokens, at), ms: 0 };
}

/** A place between two amounts of different orders. */
function between([least, most]: [number, number], at: number): number {
  return least <= 0 || most <= 0 ? at * most : least * (most / least) ** at;
}

function inRow(rounds: Taken[]): Taken {
  return rounds.reduce(
    (sum, { usd, tokens, ms }) => ({ usd: plus(sum.usd, usd), tokens: sum.tokens + tokens, ms: sum.ms + ms }),
    NOTHING,
  );
}

/** Each item takes the slot that is free first. */
function sideBySide(items: Taken[], slots: number): Taken {
  const free = Array.from({ length: Math.min(slots, Math.max(1, items.length)) }, () => 0);
  for (const { ms } of items) {
    const first = free.indexOf(Math.min(...free));
    free[first] = (free[first] ?? 0) + ms;
  }
  return { ...inRow(items), ms: Math.max(...free) };
}

function slotsOf(step: ForeachStep, { budgets }: Plan): number {
  return Math.min(step.max_parallel ?? Infinity, budgets.max_parallel ?? DEFAULT_BUDGETS.max_parallel ?? 10);
}

function plus(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/**
 * By how much a few runs say less of others than of themselves, in logarithms: what makes the spread of what whole runs
 * have taken that of a prediction from so many (Student's t, expanded for the 95th percentile).
 */
function spreadOf(past: readonly PastRun[], own: ReadonlySet<Hash>): Record<keyof Taken, number> {
  const totals = past.map(({ steps }) => inRow([...steps].flatMap(([key, all]) => (own.has(key) ? all : []))));
  const widthOf = (amounts: (number | null)[]): number => {
    const logs = amounts.flatMap((amount) => (amount !== null && amount > 0 ? [Math.log(amount)] : []));
    if (logs.length < 2) return 0;
    const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
    const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
    const free = logs.length - 1;
    const widened = Math.sqrt(1 + 1 / logs.length) * (1 + 0.926 / free + 0.863 / free ** 2);
    return Math.sqrt(variance * (widened ** 2 - 1));
  };
  return {
    usd: widthOf(totals.map(({ usd }) => usd)),
    tokens: widthOf(totals.map(({ tokens }) => tokens)),
    ms: widthOf(totals.map(({ ms }) => ms)),
  };
}

function quantiles(amounts: number[]): Quantiles {
  const sorted = [...amounts].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}
