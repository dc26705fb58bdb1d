import { requirementKey, unservedOf, waitText } from '../../plan/placement/requirement.js';
import type { Store } from '../../store/store.js';
import type { RunView, StepView } from './view.js';
import { everyStepView, isClosed, nestedIn } from './view.js';

/** A line for each step that runs and whose requirement no worker of the store meets now. */
export async function lackingLines(view: RunView, store: Pick<Store, 'listWorkers'>): Promise<string[]> {
  const required = requiredIn(view);
  if (required.length === 0) return [];
  const missing = unservedOf(
    required.map(({ key }) => key),
    await store.listWorkers(),
  );
  return required.flatMap(({ path, key }) => (missing.includes(key) ? [`\`${path}\` ${waitText(key)}.`] : []));
}

function requiredIn(view: RunView): { path: string; key: string }[] {
  if (isClosed(view.status)) return [];
  return everyStepView(view.steps).flatMap((step) => [...requiredBy(step), ...nestedIn(step).flatMap(requiredIn)]);
}

function requiredBy({ path, status, step, rounds }: StepView): { path: string; key: string }[] {
  if (status !== 'running' || rounds.length > 0 || step.requires === undefined) return [];
  return [{ path, key: requirementKey(step.requires) }];
}
