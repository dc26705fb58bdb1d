import { BUILT_IN_PRICES } from './price-table.js';
import type { Usage } from './provider.js';

/** US dollars for a million tokens; null is not known. */
export interface Price {
  input: number;
  output: number;
  cache_read: number | null;
  cache_write_5m: number | null;
  cache_write_1h: number | null;
  /** A prompt longer than this (cached parts included) is charged so as a whole. */
  above?: { input_tokens: number; input: number; output: number };
}

export type PriceTable = Record<string, Price>;

const MILLION = 1_000_000;

/**
 * What a call cost in US dollars; null when the model's price, or that of something it used, is not known: an unknown
 * price is never nothing. `prices` go before the built-in table.
 */
export function costOf(model: string, usage: Usage, prices: PriceTable = {}): number | null {
  const price = find(model, prices) ?? find(model, BUILT_IN_PRICES);
  if (price === null) return null;
  const prompt = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
  const isLong = price.above !== undefined && prompt > price.above.input_tokens;
  const { input, output } = isLong && price.above !== undefined ? price.above : price;
  // Caches are priced as a share of the input's price, so they rise with it.
  const rise = input / price.input;
  const parts: [number, number | null][] = [
    [usage.input, input],
    [usage.output, output],
    [usage.cache_read, times(price.cache_read, rise)],
    [usage.cache_write_5m, times(price.cache_write_5m, rise)],
    [usage.cache_write_1h, times(price.cache_write_1h, rise)],
  ];
  let usd = 0;
  for (const [tokens, perMillion] of parts) {
    if (tokens === 0) continue;
    if (perMillion === null) return null;
    usd += (tokens * perMillion) / MILLION;
  }
  return usd;
}

/** A model by its id, or by its id without the date that a snapshot's name ends with. */
function find(model: string, prices: PriceTable): Price | null {
  const plain = model.replace(/-\d{8}$/, '');
  const name = [model, plain].find((candidate) => Object.hasOwn(prices, candidate));
  return name === undefined ? null : (prices[name] ?? null);
}

function times(price: number | null, factor: number): number | null {
  return price === null ? null : price * factor;
}
