import { upsertMemo } from '@temporalio/workflow';
import { MEMO } from '../../plan/names.js';
import type { Requirement } from '../../plan/names.js';
import { requirementKey } from '../../plan/placement/requirement.js';
import { quick } from '../activities.js';
import type { RunContext } from '../state/context.js';

/**
 * Does something that not every worker can do: workers that can are told of it, and who looks at the run sees what it
 * may wait for.
 */
export async function withWorker<T>(
  { placement: { announced, open } }: RunContext,
  requires: Requirement,
  run: () => Promise<T>,
): Promise<T> {
  const key = requirementKey(requires);
  const count = (by: 1 | -1): void => {
    const left = (open.get(key) ?? 0) + by;
    if (left === 0) open.delete(key);
    else open.set(key, left);
    if (left === 0 || (left === 1 && by === 1)) upsertMemo({ [MEMO.requires]: [...open.keys()] });
  };
  count(1);
  try {
    if (!announced.has(key)) await quick.announceRequirement(requires);
    announced.add(key);
    return await run();
  } finally {
    count(-1);
  }
}
