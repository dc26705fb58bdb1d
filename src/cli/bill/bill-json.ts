import type { PastForecast } from '../../compiler/forecast/simulate.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { PriceRange } from '../../workers/forecast/price-range.js';
import type { CallCount } from '../forecast/forecast-words.js';
import type { GateBill } from './gate-bill.js';

/** A bill for programs: what follows, the forecast of it, the static range in US dollars, and the budget that stays. */
export function billJson({ follows, price, calls, forecast, made, budget }: GateBill): JsonObject {
  return {
    steps: follows.length,
    external: follows.flatMap(({ name, effect }) => (effect === 'external' ? [name] : [])),
    forecast: forecastJson(forecast),
    range: rangeJson(made.length === 0 ? price : { ...price, most: null }, calls),
    budget,
  };
}

/** The static range for programs, in US dollars; the most is null where nobody knows it. */
export function rangeJson({ least, most, unpriced, openEnded }: PriceRange, calls: CallCount): JsonObject {
  return {
    least_usd: least,
    most_usd: openEnded.length === 0 ? most : null,
    calls: { ...calls },
    unpriced,
    open_ended: openEnded,
  };
}

/** A forecast for programs: US dollars, tokens and milliseconds; null where closed runs say too little. */
export function forecastJson(forecast: PastForecast | null): JsonObject | null {
  if (forecast === null) return null;
  const { runs, usd, tokens, ms, unknown } = forecast;
  return { runs, usd: usd === null ? null : { ...usd }, tokens: { ...tokens }, ms: { ...ms }, unknown };
}
