import type { ModelCalls } from '../../compiler/forecast/forecast.js';
import type { PastForecast, Quantiles } from '../../compiler/forecast/simulate.js';
import { formatCount, formatDuration, formatUsd, plural } from '../text/format.js';
import { safeName } from '../text/safe-text.js';
import type { PriceRange } from '../../workers/forecast/price-range.js';

/** Model calls: those that are certain, and at most. */
export interface CallCount {
  least: number;
  most: number;
}

/** How many calls those are. */
export function countCalls(calls: readonly ModelCalls[]): CallCount {
  return {
    least: calls.reduce((sum, { least }) => sum + least, 0),
    most: calls.reduce((sum, { most }) => sum + most, 0),
  };
}

/** What models may cost by the Plan alone: the static range, in words. */
export function rangeWords({ least, most, unpriced, played, openEnded }: PriceRange, calls: CallCount): string {
  if (calls.most === 0 && played.length === 0) return 'nothing: no model is asked';
  const asked =
    calls.least === calls.most ? plural(calls.most, 'model call') : `${calls.least} to ${calls.most} model calls`;
  const range =
    least === null || most === null ? 'at a price that is not known' : `${formatUsd(least)} to ${formatUsd(most)}`;
  return [
    `by the Plan ${range}, ${asked}`,
    ...(unpriced.length > 0 && most !== null ? [`without ${unpriced.map(safeName).join(', ')}, of unknown price`] : []),
    ...(openEnded.length > 0 ? [`of ${openEnded.map(safeName).join(', ')} the first turn alone`] : []),
    ...played.map((program) => `what ${program} costs is known when it has ended`),
  ].join('; ');
}

/** What closed runs let expect of the cost; null where they say nothing of it. */
export function costWords(forecast: PastForecast | null): string | null {
  return forecast?.usd == null ? null : inWords(forecast.usd, formatUsd);
}

/** What closed runs let expect of the time, without that of people; null where they say nothing of it. */
export function timeWords(forecast: PastForecast | null): string | null {
  return forecast === null ? null : inWords(forecast.ms, formatDuration);
}

function inWords({ p50, p95 }: Quantiles, format: (amount: number) => string): string {
  return `at most ${format(p50)} in half of all runs, at most ${format(p95)} in 95 of 100`;
}

/** A forecast for people, in sentences; the first says that there is none where closed runs say too little. */
export function forecastLines(forecast: PastForecast | null): string[] {
  if (forecast === null)
    return [
      'no past to forecast from: fewer than three closed runs have done these steps; the range is the static one',
    ];
  const { runs, usd, tokens, ms, unknown } = forecast;
  const cost = usd === null ? ['cost unknown'] : [inTwo(usd, formatUsd)];
  const parts = [
    ...cost,
    `${inTwo(tokens, (count) => formatCount(Math.round(count)))} tokens`,
    inTwo(ms, formatDuration),
  ];
  const missing =
    unknown.length === 0
      ? []
      : [`${unknown.map(safeName).join(', ')}: no run has done this so far; of it the static range is counted`];
  return [
    `from ${plural(runs, 'closed run')}, half and 95 of 100 at most: ${parts.join(' · ')}, without the time of people`,
    ...missing,
  ];
}

function inTwo({ p50, p95 }: Quantiles, format: (amount: number) => string): string {
  return `${format(p50)} and ${format(p95)}`;
}
