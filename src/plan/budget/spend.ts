/** What was used. `usd` null is an unknown price, never nothing. */
export interface Spend {
  usd: number | null;
  tokens: number;
  steps: number;
}

export const NO_SPEND: Spend = { usd: 0, tokens: 0, steps: 0 };
/** Sum of two spends; what is unknown in one is unknown in the sum. */
export function addSpend(a: Spend, b: Spend): Spend {
  return {
    usd: a.usd === null || b.usd === null ? null : a.usd + b.usd,
    tokens: a.tokens + b.tokens,
    steps: a.steps + b.steps,
  };
}

/** What was added to a spend since; what is unknown now is unknown in it. */
export function spendSince(before: Spend, now: Spend): Spend {
  return {
    usd: now.usd === null || before.usd === null ? null : now.usd - before.usd,
    tokens: now.tokens - before.tokens,
    steps: now.steps - before.steps,
  };
}

/** What counts against a budget; `assumed` is what of it was reserved for work of which nobody knows the cost. */
export interface Charged {
  usd: number;
  tokens: number;
  steps: number;
  assumed?: { usd: number; tokens: number };
}
