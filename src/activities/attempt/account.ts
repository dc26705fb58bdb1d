import type { PaidBefore } from '../../plan/budget/paid-before.js';
import { notTold } from '../../plan/budget/paid-before.js';
import type { Spend } from '../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';

/** What was paid, and what of it counts against a reservation: without a known price it counts as it was reserved. */
export interface Paid {
  /** Null US dollars are an unknown price. */
  spent: Spend;
  counted: Spend;
}

/** What an attempt has had to pay for so far, however it ends: what it throws carries this along. */
export interface Account extends Paid {
  /** What of it earlier activities of the same question have told. */
  told: PaidBefore | null;
}

export function openAccount(told: PaidBefore | null): Account {
  return { spent: NO_SPEND, counted: NO_SPEND, told };
}

/** `reserved` US dollars stand for a price that nobody knows. */
export function paidFor(spent: Spend, reserved: number): Paid {
  return { spent, counted: spent.usd === null ? { ...spent, usd: reserved } : spent };
}

/** Books what was paid. */
export function book(account: Paid, { spent, counted }: Paid): void {
  account.spent = addSpend(account.spent, spent);
  account.counted = addSpend(account.counted, counted);
}

/** What an attempt has to tell: what was paid and not told yet. */
export function spentIn({ spent, counted, told }: Account): Spend {
  return notTold(spent, counted.usd ?? 0, told);
}

/** What of its reservation an attempt has used. */
export function countedIn({ counted, told }: Account): { usd: number; tokens: number } {
  return {
    usd: Math.max(0, (counted.usd ?? 0) - (told?.counted ?? 0)),
    tokens: Math.max(0, counted.tokens - (told?.tokens ?? 0)),
  };
}
