import type { Spend } from '../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';

/** What an attempt has had to pay for so far, however it ends: what it throws carries this along. */
export interface Account {
  /** Null US dollars are an unknown price. */
  spent: Spend;
  /** What was spent as it counts against the reservation: without a known price it counts as it was reserved. */
  counted: Spend;
}

export function openAccount(): Account {
  return { spent: NO_SPEND, counted: NO_SPEND };
}

/** Books what was paid; `reserved` US dollars stand for a price that nobody knows. */
export function book(account: Account, spent: Spend, reserved: number): void {
  account.spent = addSpend(account.spent, spent);
  account.counted = addSpend(account.counted, spent.usd === null ? { ...spent, usd: reserved } : spent);
}
