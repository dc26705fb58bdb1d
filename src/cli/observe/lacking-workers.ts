import type { WorkflowExecutionInfo } from '@temporalio/client';
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import { MEMO } from '../../plan/names.js';
import { versionWaitText } from '../../plan/placement/deployment.js';
import { requirementKey, unservedOf, waitText } from '../../plan/placement/requirement.js';
import type { Store } from '../../store/store.js';
import { servedVersions } from './versions.js';
import type { RunView, StepView } from './view.js';
import { everyStepView, isClosed, nestedIn, rootOf } from './view.js';

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

/** Search attributes that the server sets itself, where workers have versions. */
const BEHAVIOR = defineSearchAttributeKey('TemporalWorkflowVersioningBehavior', SearchAttributeType.KEYWORD);
const VERSION = defineSearchAttributeKey('TemporalWorkerDeploymentVersion', SearchAttributeType.KEYWORD);

/** What open runs wait for that no worker meets. */
export interface Lacking {
  /** In words, by root run. */
  waits: Map<string, string[]>;
  /** Those that are pinned to a version of which no worker is there, and that version. */
  versions: Map<string, string>;
}

/** What these runs wait for, of those that are open. */
export async function lackingWorkers(store: Store, executions: WorkflowExecutionInfo[]): Promise<Lacking> {
  const open = executions.filter(({ status }) => status.name === 'RUNNING');
  const pinned = open.flatMap((execution) => {
    const version = pinnedTo(execution);
    return version === null ? [] : [{ run: rootOf(execution.workflowId), version }];
  });
  const required = open.flatMap(({ workflowId, memo }) => {
    const keys = memo?.[MEMO.requires];
    if (!Array.isArray(keys)) return [];
    return keys.flatMap((key: unknown) => (typeof key === 'string' ? [{ run: rootOf(workflowId), key }] : []));
  });
  const waits = new Map<string, string[]>();
  if (required.length === 0 && pinned.length === 0) return { waits, versions: new Map() };
  const add = (run: string, wait: string): void => {
    waits.set(run, [...new Set([...(waits.get(run) ?? []), wait])]);
  };
  const workers = await store.listWorkers();
  const served = servedVersions(workers);
  const lost = pinned.filter(({ version }) => !served.has(version));
  const keys = required.map(({ key }) => key);
  const missing = new Set(unservedOf(keys, workers));
  for (const { run, version } of lost) add(run, versionWaitText(version));
  for (const { run, key } of required) if (missing.has(key)) add(run, waitText(key));
  return { waits, versions: new Map(lost.map(({ run, version }) => [run, version])) };
}

/** The version that an open run is pinned to, as the server lists it: `name:build`; null for none. */
function pinnedTo({ typedSearchAttributes }: WorkflowExecutionInfo): string | null {
  return typedSearchAttributes.get(BEHAVIOR) === 'Pinned' ? (typedSearchAttributes.get(VERSION) ?? null) : null;
}
