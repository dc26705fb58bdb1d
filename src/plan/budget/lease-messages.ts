import type { Downward, Upward } from './ledger.js';
import type { QuotaUsed } from './quota.js';
import type { Charged, Spend } from './spend.js';
import type { Restrictions } from './steering.js';
import { isQuota } from './steering.js';

/**
 * What runs of one tree say to each other about their budget, by signal. `left`: the last word of a run that has no
 * result to say what it used; `quota`: what a call below says that found no room in the quota of all runs; `cut`: why
 * the run around cancels this one next.
 */
export type LedgerMail = { from: string } & (
  | { up: Upward; left?: LeftBehind }
  | { down: Downward }
  | { climate: Restrictions }
  | { quota: QuotaUsed }
  | { cut: string }
);

/** What a run had used when it was cancelled: as it was paid, and as it counts. */
export interface LeftBehind {
  spend: Spend;
  charged: Charged;
}

/** Tells whether something received from outside has the form of such mail (signals come from anyone). */
export function isLedgerMail(value: unknown): value is LedgerMail {
  if (typeof value !== 'object' || value === null) return false;
  const { from, cut, ...mail } = value as Record<string, unknown>;
  if (typeof from !== 'string') return false;
  return cut === undefined ? isOfBudget(mail) : typeof cut === 'string';
}

function isOfBudget({ up, down, climate, left, quota }: Record<string, unknown>): boolean {
  if (isRecord(up)) return isUpward(up) && (left === undefined || isLeftBehind(left));
  if (isRecord(down))
    return down['kind'] === 'grant'
      ? isCount(down['seq']) && isCount(down['claim']) && isAmounts(down['amounts'])
      : down['kind'] === 'recall' && isAmounts(down['want']);
  if (isRecord(quota)) return typeof quota['message'] === 'string' && !isNaN(Date.parse(String(quota['until'])));
  return isRecord(climate) && isRestrictions(climate);
}

function isRestrictions(climate: Record<string, unknown>): boolean {
  const { quota } = climate;
  return ['pause', 'stop', 'degrade'].every((key) => key in climate) && (quota === undefined || isQuota(quota));
}

function isUpward({ kind, seen, back, want, like, seq, ...lists }: Record<string, unknown>): boolean {
  if (!isCount(seen) || !isAmounts(back)) return false;
  if (kind === 'claim') return isCount(seq) && isAmounts(want) && isAmounts(like) && Array.isArray(lists['busy']);
  return kind === 'release' && ['done', 'busy', 'final'].every((key) => Array.isArray(lists[key]));
}

function isLeftBehind(left: unknown): boolean {
  if (!isRecord(left) || !isRecord(left['spend']) || !isRecord(left['charged'])) return false;
  const { spend, charged } = left;
  const { assumed } = charged;
  return (
    isUsed(spend, spend['usd'] === null) &&
    isUsed(charged, false) &&
    (assumed === undefined || (isRecord(assumed) && isUsed({ ...assumed, steps: 0 }, false)))
  );
}

function isUsed({ usd, tokens, steps }: Record<string, unknown>, isUnknown: boolean): boolean {
  return (isUnknown || (typeof usd === 'number' && usd >= 0 && usd < Infinity)) && isCount(tokens) && isCount(steps);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isAmounts(value: unknown): boolean {
  return isRecord(value) && ['steps', 'nanousd', 'tokens', 'slots'].every((resource) => isCount(value[resource]));
}
