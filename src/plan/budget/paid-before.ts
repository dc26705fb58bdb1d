import type { Spend } from './spend.js';

/**
 * What activities of one question have cost that was then refused for want of money: its run was told, and has settled
 * it. The next activity of the question counts on from there.
 */
export interface PaidBefore {
  /** Null US dollars are an unknown price. */
  usd: number | null;
  tokens: number;
  /** US dollars that count for it: where nobody knows its price, what was reserved. */
  counted: number;
  /** How long the activities took, in milliseconds. */
  ms: number;
  /** How often Temporal had waited before it tried again. */
  waits: number;
}

/** Sum of both; null is nothing. */
export function addPaid(a: PaidBefore | null, b: PaidBefore): PaidBefore {
  if (a === null) return b;
  return {
    usd: a.usd === null || b.usd === null ? null : a.usd + b.usd,
    tokens: a.tokens + b.tokens,
    counted: a.counted + b.counted,
    ms: a.ms + b.ms,
    waits: a.waits + b.waits,
  };
}

/** What of a question's whole spend was not told yet, given what counts for it in US dollars; never below nothing. */
export function notTold(spent: Spend, counted: number, paid: PaidBefore | null): Spend {
  if (paid === null) return spent;
  const isMore = counted > paid.counted || spent.tokens > paid.tokens;
  const usd = spent.usd === null ? (isMore ? null : 0) : Math.max(0, spent.usd - (paid.usd ?? spent.usd));
  return { ...spent, usd, tokens: Math.max(0, spent.tokens - paid.tokens) };
}

export function spendOfPaid({ usd, tokens }: PaidBefore): Spend {
  return { usd, tokens, steps: 0 };
}
