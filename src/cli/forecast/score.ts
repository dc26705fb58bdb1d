import type { ForecastPrices } from '../../workers/forecast/forecast-plan.js';
import { forecastPlan } from '../../workers/forecast/forecast-plan.js';
import type { ClosedRun } from '../../workers/forecast/read-past.js';

/** How forecasts of one amount came out. */
export interface Score {
  /** Runs of which it was forecast. */
  runs: number;
  /** Share of them that ended at or below each. */
  below_p50: number;
  below_p95: number;
  /** The median of p95 divided by what was taken: how much too careful it is. */
  ratio: number;
}

/** Scores by amount; null where nothing was forecast. */
export interface Scores {
  usd: Score | null;
  tokens: Score | null;
  ms: Score | null;
}

interface Outcome {
  p50: number;
  p95: number;
  taken: number;
}

/**
 * Makes for each closed run the forecast that could be made when it started, from the runs that had ended by then, and
 * compares it with what it took.
 */
export function scoreRuns(runs: readonly ClosedRun[], settings: ForecastPrices): Scores {
  const outcomes: Record<keyof Scores, Outcome[]> = { usd: [], tokens: [], ms: [] };
  for (const { record, plan, worked_ms } of runs) {
    const before = runs.filter((other) => other.record.ended_at <= record.started_at);
    const forecast = forecastPlan(plan, before, settings);
    if (forecast === null) continue;
    const { usd, tokens } = record.spend;
    if (forecast.usd !== null && usd !== null) outcomes.usd.push({ ...forecast.usd, taken: usd });
    outcomes.tokens.push({ ...forecast.tokens, taken: tokens });
    outcomes.ms.push({ ...forecast.ms, taken: worked_ms });
  }
  return { usd: scoreOf(outcomes.usd), tokens: scoreOf(outcomes.tokens), ms: scoreOf(outcomes.ms) };
}

/** The score of forecasts against what was taken; null for none. */
export function scoreOf(outcomes: Outcome[]): Score | null {
  if (outcomes.length === 0) return null;
  const share = (is: (outcome: Outcome) => boolean): number => outcomes.filter(is).length / outcomes.length;
  const ratios = outcomes.flatMap(({ p95, taken }) => (taken > 0 ? [p95 / taken] : [])).sort((a, b) => a - b);
  return {
    runs: outcomes.length,
    below_p50: share(({ p50, taken }) => taken <= p50),
    below_p95: share(({ p95, taken }) => taken <= p95),
    ratio: ratios[Math.floor(ratios.length / 2)] ?? 1,
  };
}
