import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import { NO_SPEND } from '../../../src/plan/budget/spend.js';
import type { RunRecord } from '../../../src/plan/result.js';
import { sha256 } from '../../../src/store/hash.js';

/** The record of a run that ended well and gave nothing. */
export function runRecord(run: string, more: Partial<RunRecord> = {}): RunRecord {
  return {
    run,
    plan: sha256('plan'),
    plan_name: 'hello',
    status: 'success',
    error: null,
    output: null,
    spend: NO_SPEND,
    pages: [],
    input: {},
    budget: NO_BUDGETS,
    rehearsal: false,
    submitted_by: 'ana',
    workspace: '.',
    journal: 'first',
    workspace_digest: null,
    started_at: '2026-01-01T00:00:00.000Z',
    ended_at: '2026-01-01T00:00:01.000Z',
    ...more,
  };
}
