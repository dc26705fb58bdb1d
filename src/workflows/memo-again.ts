import { patched, upsertMemo } from '@temporalio/workflow';
import { MEMO } from '../plan/names.js';
import type { RunContext } from './context.js';
import { showCarried } from './gates.js';
import { climateOf } from './ledger.js';

/**
 * Writes what a run's memo said before it continued as new: that does not travel. Gates say it themselves, unless a
 * pause keeps them from it.
 */
export function showAgain({ gates, purse }: RunContext): void {
  const {
    own: { pause },
    warnings,
  } = purse;
  const told = {
    ...(pause === null ? {} : { [MEMO.paused]: pause }),
    ...(warnings.length === 0 ? {} : { [MEMO.warnings]: warnings }),
  };
  const isTold = Object.keys(told).length > 0;
  const isHidden = climateOf(purse).pause !== null && gates.carried.size > 0;
  if ((!isTold && !isHidden) || !patched('memo-again')) return;
  if (isTold) upsertMemo(told);
  if (isHidden) showCarried(gates);
}
