import { MEMO } from '../../plan/names.js';
import { versionIn, versionText, versionWaitText } from '../../plan/placement/deployment.js';
import type { DeploymentVersion } from '../../plan/placement/deployment.js';
import {
  queueFor,
  requirementKeysIn,
  requirementIn,
  requirementKey,
  waitText,
} from '../../plan/placement/requirement.js';
import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Execution } from '../../workers/link/list-executions.js';
import { BEHAVIOR, VERSION } from '../../workers/link/list-executions.js';
import { missingWorkers } from './missing-workers.js';
import type { RunPlace } from './versions.js';
import { servedVersions } from './versions.js';
import type { RunView, StepView } from './view/view.js';
import { everyStepView, isClosed, nestedIn, rootOf } from './view/view.js';

type Server = Pick<TemporalLink, 'connection' | 'namespace'>;
type Workers = Pick<Store, 'listWorkers' | 'homes'>;

/** A line for each step that runs and whose requirement no worker meets now that may take it. */
export async function lackingLines(
  view: RunView,
  { queue, version }: RunPlace,
  { server, store }: { server: Server; store: Workers },
): Promise<string[]> {
  const required = requiredIn(view);
  if (required.length === 0) return [];
  const missing = missingWorkers(server, await store.listWorkers(), store);
  const pinned = version?.behavior === 'pinned' ? version : null;
  const lines = required.map(async ({ path, key }) => {
    const worker = await missing({ run: view.run, key, queue, pinned });
    return worker === null ? [] : [`\`${path}\` ${waitText(worker)}.`];
  });
  return (await Promise.all(lines)).flat();
}

/** Tells whether a step runs that not every worker can do. */
export function requiresWorker(view: RunView): boolean {
  return requiredIn(view).length > 0;
}

function requiredIn(view: RunView): { path: string; key: string }[] {
  if (isClosed(view.status)) return [];
  return everyStepView(view.steps).flatMap((step) => [...requiredBy(step), ...nestedIn(step).flatMap(requiredIn)]);
}

function requiredBy({ path, status, step, rounds }: StepView): { path: string; key: string }[] {
  if (status !== 'running' || rounds.length > 0 || step.requires === undefined) return [];
  return [{ path, key: requirementKey(step.requires) }];
}

/** What an open run waits for that no worker meets. */
export interface Lacking {
  /** In words. */
  waits: string[];
  /** What it is pinned to; null for none. */
  version: string | null;
  /** Of that version no worker is there. */
  isLost: boolean;
}

/** What these runs wait for, of those that are open, by root run; a run that waits for no worker is not there. */
export async function lackingWorkers(
  server: Server,
  store: Workers,
  executions: Execution[],
): Promise<Map<string, Lacking>> {
  const open = executions
    .filter(({ status }) => status.name === 'RUNNING')
    .map((execution) => ({ ...placed(execution), keys: requiredOf(execution) }))
    .filter(({ pinned, keys }) => pinned !== null || keys.length > 0);
  const found = new Map<string, Lacking>();
  if (open.length === 0) return found;
  const workers = await store.listWorkers();
  const served = servedVersions(workers);
  const missing = missingWorkers(server, workers, store);
  for (const { run, queue, pinned, keys } of open) {
    const version = pinned === null ? null : versionText(pinned);
    const isLost = version !== null && !served.has(version);
    const required = await Promise.all(keys.map((key) => missing({ run, key, queue, pinned })));
    const lost = isLost ? [versionWaitText(version)] : [];
    const waits = [...lost, ...required.flatMap((worker) => (worker === null ? [] : [waitText(worker)]))];
    const before = found.get(run);
    if (waits.length > 0)
      found.set(run, {
        waits: [...new Set([...(before?.waits ?? []), ...waits])],
        version: before?.version ?? version,
        isLost: isLost || before?.isLost === true,
      });
  }
  return found;
}

/** Where a run is, as the server lists it. */
function placed(execution: Execution): { run: string; queue: string; pinned: DeploymentVersion | null } {
  return { run: rootOf(execution.workflowId), queue: execution.taskQueue, pinned: pinnedTo(execution) };
}

/** The server knows no longer name of a queue. */
const QUEUE_CHARACTERS = 1_000;

/** What steps of it require, of which there is a queue. */
function requiredOf({ taskQueue, memo }: Execution): string[] {
  const hasQueue = (key: string): boolean => queueFor(taskQueue, requirementIn(key)).length <= QUEUE_CHARACTERS;
  return requirementKeysIn(memo?.[MEMO.requires]).filter(hasQueue);
}

/** The version that an open run is pinned to; null for none. */
function pinnedTo({ typedSearchAttributes }: Execution): DeploymentVersion | null {
  if (typedSearchAttributes.get(BEHAVIOR) !== 'Pinned') return null;
  const version = versionIn(typedSearchAttributes.get(VERSION) ?? '');
  return version?.build == null ? null : { name: version.name, build: version.build };
}
