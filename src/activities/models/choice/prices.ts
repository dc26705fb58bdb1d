import type { Price } from '../../../plan/budget/price.js';
import type { PriceTable } from '../../dependencies.js';
import { BUILT_IN_PRICES } from './price-table.js';
import type { Usage } from '../protocol/provider.js';

const MILLION = 1_000_000;
/** US dollars for a million searches of the web: what Anthropic takes, the one provider that makes them. */
const SEARCHES = 10_000;

/**
 * What a call cost in US dollars; null when the model's price, or that of something it used, is not known: an unknown
 * price is never nothing. `prices` go before the built-in table.
 */
export function costOf(model: string, usage: Usage, prices: PriceTable = {}): number | null {
  const price = priceOf(model, prices);
  return price === null ? null : costAt(price, usage);
}

/** The price of a model, by `prices` before the built-in table; null when neither has it. */
export function priceOf(model: string, prices: PriceTable = {}): Price | null {
  return find(model, prices) ?? find(model, BUILT_IN_PRICES);
}

/** The dearest price in the table: what a model costs at most of which nobody knows the price. */
export function dearestPrice(): Price {
  const all = Object.values(BUILT_IN_PRICES);
  const most = (of: (price: Price) => number): number => Math.max(...all.map(of));
  return {
    input: most(({ input, above }) => Math.max(input, above?.input ?? 0)),
    output: most(({ output, above }) => Math.max(output, above?.output ?? 0)),
    cache_read: null,
    cache_write_5m: null,
    cache_write_1h: null,
  };
}

/** What a call cost at a price; null when that of something it used is not known. */
export function costAt(price: Price, usage: Usage): number | null {
  const prompt = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
  const isLong = price.above !== undefined && prompt > price.above.input_tokens;
  const { input, output } = isLong && price.above !== undefined ? price.above : price;
  // Caches are priced as a share of the input's price, so they rise with it; of nothing they are no share.
  const rise = price.input === 0 ? 1 : input / price.input;
  const parts: [number, number | null][] = [
    [usage.input, input],
    [usage.output, output],
    [usage.cache_read, times(price.cache_read, rise)],
    [usage.cache_write_5m, times(price.cache_write_5m, rise)],
    [usage.cache_write_1h, times(price.cache_write_1h, rise)],
  ];
  // Divided once, so that a sum has no more digits than its parts.
  let perMillion = (usage.searches ?? 0) * SEARCHES;
  for (const [tokens, each] of parts) {
    if (tokens === 0) continue;
    if (each === null) return null;
    perMillion += tokens * each;
  }
  return perMillion / MILLION;
}

/** What so many searches of the web cost in US dollars. */
export function searchesCost(searches: number): number {
  return (searches * SEARCHES) / MILLION;
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
