import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Spend } from '../../plan/budget/spend.js';
import type { ProgramCall } from '../contract.js';
import { costAt } from '../models/choice/prices.js';
import type { Usage } from '../models/protocol/provider.js';
import { NO_USAGE, tokensOf } from '../models/protocol/provider.js';
import type { ProgramSpend } from './program.js';

export const NOTHING_SPENT: ProgramSpend = { usage: NO_USAGE, usd: 0 };

/** A number of tokens in what a program wrote; what is none is 0. */
export function tokensIn(value: Json | undefined, name: string): number {
  const count = isObject(value ?? null) ? (value as Record<string, Json>)[name] : undefined; // isObject said so
  return typeof count === 'number' && count > 0 && count <= Number.MAX_SAFE_INTEGER ? Math.round(count) : 0;
}

/** What a program counts; null for no token at all: it does not count, and that is not free. */
export function toldUsage(usage: Usage): Usage | null {
  return tokensOf(usage) === 0 ? null : usage;
}

export function addUsage(a: Usage, b: Usage): Usage {
  return combine(a, b, (left, right) => left + right);
}

export function addSpent(a: ProgramSpend, b: ProgramSpend): ProgramSpend {
  return { usage: addUsage(a.usage, b.usage), usd: a.usd === null || b.usd === null ? null : a.usd + b.usd };
}

/**
 * What a call has cost: by what the program says, else by the price that was settled at submit; null where that is only
 * assumed.
 */
export function spendBy({ program: { price, assumed } }: ProgramCall, { usd, usage }: ProgramSpend): Spend {
  const cost = usd !== null ? usd : assumed === true ? null : costAt(price, usage);
  return { usd: cost, tokens: tokensOf(usage), steps: 0 };
}

/** What came on top: never less than nothing, should a program count anew. */
export function usageSince(before: Usage, now: Usage): Usage {
  return combine(now, before, (left, right) => Math.max(0, left - right));
}

function combine(a: Usage, b: Usage, join: (left: number, right: number) => number): Usage {
  return {
    input: join(a.input, b.input),
    output: join(a.output, b.output),
    cache_read: join(a.cache_read, b.cache_read),
    cache_write_5m: join(a.cache_write_5m, b.cache_write_5m),
    cache_write_1h: join(a.cache_write_1h, b.cache_write_1h),
  };
}
