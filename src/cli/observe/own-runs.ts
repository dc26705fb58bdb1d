import { MEMO } from '../../plan/names.js';
import type { Store } from '../../store/store.js';
import type { Execution } from '../../workers/link/list-executions.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { CliError } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';
import { describe } from './as-of-now.js';
import { rootOf } from './view/view.js';

type Owner = Pick<Store, 'id' | 'copiedFrom'>;
type Place = Pick<TemporalLink, 'embedded' | 'taskQueue'>;

/**
 * Tells whether a root run is of this store, by what it was started with: several projects may share a namespace. One
 * whose memo cannot be read here is of those who poll its queue. In the database of a copy the runs are its
 * original's, and are shown as they ended (decision 22).
 */
export function isOwnRun(
  { memo, taskQueue }: Pick<Execution, 'memo' | 'taskQueue'>,
  link: Place,
  { id, copiedFrom }: Owner,
): boolean {
  const owner = memo?.[MEMO.store];
  if (owner === undefined) return link.embedded || taskQueue === link.taskQueue;
  return owner === id || (link.embedded && copiedFrom !== null);
}

/**
 * Those of these runs that are of this store. A nested run says nothing of its own: it is whose its root is, and where
 * that is not listed, of those who poll its queue (decision 11).
 */
export function ownRuns(executions: Execution[], link: Place, store: Owner): Execution[] {
  const roots = new Map(
    executions
      .filter(({ workflowId }) => rootOf(workflowId) === workflowId)
      .map((execution) => [execution.workflowId, isOwnRun(execution, link, store)]),
  );
  return executions.filter(
    ({ workflowId, taskQueue }) => roots.get(rootOf(workflowId)) ?? taskQueue === link.taskQueue,
  );
}

/** Throws a usage error for a run of another project; one that the server does not know is none. */
export async function requireOwnRun(
  run: string,
  link: Pick<TemporalLink, 'client'> & Place,
  store: Owner,
): Promise<void> {
  const root = rootOf(run);
  const found = await describe(link, root);
  if (found === 'elsewhere' || (found !== null && !isOwnRun(found, link, store))) throw ofAnotherProject(root, store);
}

function ofAnotherProject(run: string, { id }: Owner): CliError {
  return usageError(
    `The run \`${run}\` is of another project on this server; the store here is \`${id}\`.`,
    'Run the command in the folder of that project. `perdure list` shows the runs that are known here.',
  );
}
