import type { PriceTable } from '../../dependencies.js';

const OPUS_5 = { input: 5, output: 25, cache_read: 0.5, cache_write_5m: 6.25, cache_write_1h: 10 };

/** List prices in US dollars for a million tokens, as of 2026-11-21. `null` is a price that nobody could confirm. */
export const BUILT_IN_PRICES: PriceTable = {
  'claude-fable-5-2': { input: 8, output: 40, cache_read: null, cache_write_5m: null, cache_write_1h: null },
  'claude-opus-5-5': { input: 4, output: 20, cache_read: 0.2, cache_write_5m: 5, cache_write_1h: 8 },
  'claude-sonnet-5-5': { input: 2, output: 10, cache_read: 0.1, cache_write_5m: 2.5, cache_write_1h: 4 },
  'claude-haiku-5-5': {
    input: 0.1,
    output: 0.5,
    cache_read: 0.01,
    cache_write_5m: 0.125,
    cache_write_1h: 0.2,
    above: { input_tokens: 100_000, input: 0.5, output: 2.5 },
  },
  'claude-opus-5': OPUS_5,
  'claude-opus-4-8': OPUS_5,
  'claude-opus-4-7': OPUS_5,
  'claude-opus-4-6': OPUS_5,
  'claude-opus-4-5': OPUS_5,
  'claude-sonnet-5': { input: 2, output: 10, cache_read: 0.2, cache_write_5m: 2.5, cache_write_1h: 4 },
  'claude-sonnet-4-6': { input: 3, output: 15, cache_read: 0.3, cache_write_5m: 3.75, cache_write_1h: 6 },
  'claude-sonnet-4-5': { input: 3, output: 15, cache_read: null, cache_write_5m: null, cache_write_1h: null },
  'claude-haiku-4-5': { input: 1, output: 5, cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2 },
};
