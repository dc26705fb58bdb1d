import { utf8Bytes } from '../../plan/values/json.js';
import { BYTES_PER_TOKEN } from '../../plan/budget/price.js';
import type { ModelAnswer, Usage } from './protocol/provider.js';

/**
 * The tokens of an answer as its provider counts them. One that says nothing of them, or what cannot be, would pass
 * every limit: what is missing is counted by bytes, rather too high, as reservations are. `asked` measures the
 * question, which may be megabytes: only where that is needed.
 */
export function believedUsage({ usage, text, blocks }: ModelAnswer, asked: () => number): Usage {
  const { input, output, cache_read, cache_write_5m, cache_write_1h, searches } = usage;
  const told = {
    input: count(input),
    output: count(output),
    cache_read: count(cache_read),
    cache_write_5m: count(cache_write_5m),
    cache_write_1h: count(cache_write_1h),
  };
  const said = utf8Bytes(text) || (blocks === undefined || blocks.length === 0 ? 0 : utf8Bytes(JSON.stringify(blocks)));
  return {
    ...told,
    input:
      told.input + told.cache_read + told.cache_write_5m + told.cache_write_1h === 0 ? tokensIn(asked()) : told.input,
    output: told.output === 0 ? tokensIn(said) : told.output,
    ...(searches === undefined ? {} : { searches: count(searches) }),
  };
}

/** Tokens of so many bytes, rather too many. */
export function tokensIn(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** A provider's word is of any type. */
function count(told: unknown): number {
  // isSafeInteger is true of numbers only
  return Number.isSafeInteger(told) && (told as number) > 0 ? (told as number) : 0;
}
