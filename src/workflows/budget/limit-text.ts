import { upsertMemo } from '@temporalio/workflow';
import type { Resource } from '../../plan/budget/amounts.js';
import { toUsd } from '../../plan/budget/amounts.js';
import { nearlyUsed, WARNED_AT } from '../../plan/budget/ledger.js';
import type { Clock } from '../../plan/budget/run-clock.js';
import type { Ledger } from '../../plan/budget/ledger.js';
import type { BudgetAccount } from '../state/account.js';
import { MEMO } from '../../plan/names.js';
import { LIMIT_OF } from '../../plan/budget/exhaustion.js';

/** What a used-up limit says to people, in one sentence. */
export function neededText(
  { cap }: Pick<Ledger, 'cap'>,
  { resource, need, left }: { resource: Resource; need: number; left: number },
): string {
  const limit = cap[resource] ?? 0;
  switch (resource) {
    case 'steps':
      return `all ${limit} steps are used`;
    case 'nanousd':
      return `the next step may cost ${dollars(need)} and ${dollars(left)} is left of ${dollars(limit)}`;
    case 'tokens':
      return `the next step may take ${counted(need)} tokens and ${counted(left)} are left of ${counted(limit)}`;
    case 'slots':
      return `all ${limit} activities that may run at once are running`;
  }
}

/** How much of a limit is used, in one phrase. */
export function usedText(
  { cap, charged, assumed }: Pick<Ledger, 'cap' | 'charged' | 'assumed'>,
  resource: Exclude<Resource, 'slots'>,
): string {
  const limit = cap[resource] ?? 0;
  const told = resource === 'nanousd' ? dollars : counted;
  const unknown =
    assumed[resource] === 0
      ? ''
      : `, ${told(assumed[resource])} of it reserved for calls of which nobody knows what they have cost`;
  return `${told(charged[resource])} of ${told(limit)}${unknown}`;
}

/** The workflow sandbox has no locale that can be relied on. */
function counted(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function dollars(nanousd: number): string {
  const usd = toUsd(nanousd);
  return `$${usd === 0 || usd >= 0.1 ? usd.toFixed(2) : usd.toPrecision(2)}`;
}

/** What a used-up run time says to people. */
export function timeText({ clock }: Pick<BudgetAccount, 'clock'>): string {
  const minutes = (clock?.limit_ms ?? 0) / 60_000;
  return `the run time of ${Number(minutes.toFixed(2))} minutes is used up`;
}

/** Warns people when most of the run time is used, which the ledger does not know. */
export function warnOfTime(account: BudgetAccount, { used_ms, limit_ms }: Clock): void {
  const minutes = (ms: number): string => String(Number((ms / 60000).toFixed(2)));
  account.warnings = [
    ...account.warnings,
    {
      limit: 'max_runtime_mins',
      message: `${WARNED_AT * 100} % of max_runtime_mins are used: ${minutes(used_ms)} of ${minutes(limit_ms)} minutes`,
      since: new Date().toISOString(),
    },
  ];
  upsertMemo({ [MEMO.warnings]: account.warnings });
  account.onChange();
}

/** Says once of each limit of this run that most of it is used: in the memo, and so in history and to viewers. */
export function warnOfLimits(account: BudgetAccount): void {
  const due = nearlyUsed(account.ledger).filter(
    (resource) => !account.warnings.some(({ limit }) => limit === LIMIT_OF[resource]),
  );
  if (due.length === 0) return;
  const since = new Date().toISOString();
  account.warnings = [
    ...account.warnings,
    ...due.map((resource) => ({
      limit: LIMIT_OF[resource],
      message: `${WARNED_AT * 100} % of ${LIMIT_OF[resource]} are used: ${usedText(account.ledger, resource)}`,
      since,
    })),
  ];
  upsertMemo({ [MEMO.warnings]: account.warnings });
}
