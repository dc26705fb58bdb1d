import { upsertSearchAttributes } from '@temporalio/workflow';
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../../plan/names.js';
import type { RunStatus } from '../../plan/result.js';
import type { RunContext } from '../state/context.js';

const KEY = defineSearchAttributeKey(SEARCH_ATTRIBUTES.status, SearchAttributeType.KEYWORD);

/** Has the server's search attribute follow how the run stands, where the server knows it. */
export function followStatus(context: RunContext): void {
  if (context.settings.status_attribute !== true) return;
  const { gates, account } = context;
  const told = { before: context.nested === null && !context.isBatch };
  // An event for each change of a gate or a pause, and none left out as said before: when a run is replayed, what came
  // one after another may come at once.
  const show = (status: RunStatus): void => {
    told.before = true;
    upsertSearchAttributes([{ key: KEY, value: status }]);
  };
  const showOpen = (): void =>
    show(account.own.pause !== null ? 'paused' : gates.open.size > 0 ? 'waiting' : 'running');
  gates.onListed = showOpen;
  account.onPaused = showOpen;
  context.onEnd = (status) => {
    // Of a nested run that neither waited nor ended in part Temporal's own status tells all.
    if (told.before || status === 'partial') show(status);
  };
}
