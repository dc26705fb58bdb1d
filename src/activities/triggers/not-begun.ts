import { NO_SPEND } from '../../plan/budget/spend.js';
import type { Plan } from '../../plan/plan.js';
import type { RunRecord } from '../../plan/result.js';
import type { PreparedRun } from '../../plan/triggers/start.js';
import type { Store } from '../../store/store.js';

/**
 * Leaves the record of a run that nobody submitted and that could not begin, with why: nobody was there to be told, and
 * what starts by itself names it.
 */
export async function noteNotBegun(
  run: string,
  why: string,
  {
    prepared: { plan: hash, settings },
    plan,
    description,
    store,
  }: { prepared: PreparedRun; plan: Plan; description: string; store: Store },
): Promise<void> {
  const now = new Date().toISOString();
  const { budget, rehearsal, submitted_by, definition, project, workspace } = settings;
  const record: RunRecord = {
    status: 'error',
    error: `It could not begin. ${why}`,
    output: null,
    spend: NO_SPEND,
    pages: [],
    run,
    plan: hash,
    plan_name: plan.name,
    input: {},
    budget,
    rehearsal,
    submitted_by,
    ...(definition === undefined ? {} : { definition }),
    ...(project === undefined ? {} : { project }),
    workspace,
    journal: `${run} not begun`,
    workspace_digest: null,
    started_at: now,
    ended_at: now,
  };
  await store.noteSubmitted({ run, definition: plan.name, description, rehearsal, submitted_by, submitted_at: now });
  await store.writeRun(record);
}
