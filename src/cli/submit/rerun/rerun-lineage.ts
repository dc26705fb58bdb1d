import type { Plan } from '../../../plan/plan.js';
import type { RunRecord } from '../../../plan/result.js';
import { dependsOnWorkspace } from '../../../plan/calls/reuse.js';
import type { ReuseSource } from '../../../plan/run-input.js';
import type { Store } from '../../../store/store.js';
import { viewOfRecord } from '../../observe/closed.js';
import type { RunView, StepView } from '../../observe/view/view.js';
import { everyStepView, nestedIn } from '../../observe/view/view.js';
import { locate } from '../../../store/folders/places.js';

/** A run that is run again, or one that it is a rerun of. */
export interface Ancestor {
  record: RunRecord;
  view: RunView;
}

/**
 * A run and those that it is a rerun of, the latest first, as far as they are kept: it may not have come to all that
 * they have done.
 */
export async function lineageOf(record: RunRecord, store: Store): Promise<Ancestor[]> {
  const lineage = new Map<string, Ancestor>();
  // A pruned run's id may have been given anew, to a rerun of its own rerun.
  for (let next: RunRecord | null = record; next !== null && !lineage.has(next.run);) {
    lineage.set(next.run, { record: next, view: await viewOfRecord(next, store) });
    next = next.rerun_of === undefined ? null : await store.readRun(next.rerun_of);
  }
  return [...lineage.values()];
}

/**
 * Where results may be taken from, and whether files that nobody named have changed since: so they have where it is not
 * known how they were, or are.
 */
export async function sourcesOf(
  plan: Plan,
  lineage: Pick<Ancestor, 'record'>[],
  store: Pick<Store, 'folder'>,
): Promise<ReuseSource[]> {
  const { workspaceDigest } = await import('../../../activities/workspace/workspace-digest.js');
  const digest = dependsOnWorkspace(plan)
    ? await workspaceDigest(locate(store, lineage[0]?.record.workspace ?? ''), {
        definition: lineage[0]?.record.definition,
        stateDir: store.folder,
      })
    : undefined;
  return lineage.map(({ record: { run, journal, workspace_digest } }) => ({
    run,
    from: journal,
    changed: digest !== undefined && (digest === 'unknown' || workspace_digest !== digest),
  }));
}

/**
 * Paths of steps whose external effect has happened, or may have: by the results of the runs, and by what the steps
 * themselves have noted, of whose tries before the last no result tells.
 */
export async function doneOutside(lineage: Ancestor[], store: Pick<Store, 'listJournal'>): Promise<string[]> {
  const { outsideEffects } = await import('../../../activities/attempt/outside-effects.js');
  const paths = await Promise.all(
    lineage.map(async ({ record, view }) => [
      ...doneIn(view.steps),
      ...(await outsideEffects(store, record.journal)),
      ...(record.done_before ?? []),
    ]),
  );
  return [...new Set(paths.flat())];
}

function doneIn(steps: StepView[]): string[] {
  return everyStepView(steps).flatMap((view) => [
    ...(hasHappened(view) ? [view.path] : []),
    ...nestedIn(view).flatMap((run) => doneIn(run.steps)),
  ]);
}

/** It succeeded, was cut off in the middle, or was refused because it had happened before. */
function hasHappened({ step, result }: StepView): boolean {
  const acts = step.kind === 'agent' || step.kind === 'command' || step.kind === 'tool';
  if (!acts || step.effect !== 'external' || result === null) return false;
  return (
    result.status === 'success' ||
    result.status === 'timeout' ||
    ['worker-lost', 'cancelled', 'already-done'].includes(result.failure ?? '')
  );
}
