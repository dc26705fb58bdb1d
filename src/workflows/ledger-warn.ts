import { patched, upsertMemo } from '@temporalio/workflow';
import type { Clock } from '../plan/clock.js';
import { LIMIT_OF } from '../plan/exhaustion.js';
import { MEMO } from '../plan/names.js';
import { WARNED_AT, nearlyUsed } from '../plan/ledger-warning.js';
import type { Purse } from './ledger.js';
import { usedText } from './ledger-text.js';

/** The same of run time, which the ledger does not know. */
export function warnOfTime(purse: Purse, { used_ms, limit_ms }: Clock): void {
  const minutes = (ms: number): string => String(Number((ms / 60_000).toFixed(2)));
  purse.warnings = [
    ...purse.warnings,
    {
      limit: 'max_runtime_mins',
      message: `${WARNED_AT * 100} % of max_runtime_mins are used: ${minutes(used_ms)} of ${minutes(limit_ms)} minutes`,
      since: new Date().toISOString(),
    },
  ];
  upsertMemo({ [MEMO.warnings]: purse.warnings });
  purse.onChange();
}

/** Says once of each limit of this run that most of it is used: in the memo, and so in history and to viewers. */
export function warnOfLimits(purse: Purse): void {
  const due = nearlyUsed(purse.ledger).filter(
    (resource) => !purse.warnings.some(({ limit }) => limit === LIMIT_OF[resource]),
  );
  if (due.length === 0 || !patched('warnings')) return;
  const since = new Date().toISOString();
  purse.warnings = [
    ...purse.warnings,
    ...due.map((resource) => ({
      limit: LIMIT_OF[resource],
      message: `${WARNED_AT * 100} % of ${LIMIT_OF[resource]} are used: ${usedText(purse.ledger, resource)}`,
      since,
    })),
  ];
  upsertMemo({ [MEMO.warnings]: purse.warnings });
}
