import { MEMO } from '../../plan/names.js';
import type { Store } from '../../store/store.js';
import type { Execution } from '../../workers/link/list-executions.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { CliError } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';
import { describe } from './as-of-now.js';
import { rootOf } from './view/view.js';

type Owner = Pick<Store, 'id' | 'copiedFrom'>;
type Memo = Execution['memo'];

/**
 * Tells whether a root run is of this store, by what it was started with: several projects may share a namespace. In
 * the database of a copy the runs are its original's, and are shown as they ended (decision 22).
 */
export function isOwnRun(memo: Memo, { embedded }: Pick<TemporalLink, 'embedded'>, { id, copiedFrom }: Owner): boolean {
  const owner = memo?.[MEMO.store];
  return owner === undefined || owner === id || (embedded && copiedFrom !== null);
}

/**
 * Those of these runs that are of this store. A nested run says nothing of its own: it is whose its root is, and where
 * that is not listed, of those who poll its queue (decision 11).
 */
export function ownRuns(
  executions: Execution[],
  link: Pick<TemporalLink, 'embedded' | 'taskQueue'>,
  store: Owner,
): Execution[] {
  const roots = new Map(
    executions.flatMap(({ workflowId, memo }) =>
      rootOf(workflowId) === workflowId ? [[workflowId, isOwnRun(memo, link, store)] as const] : [],
    ),
  );
  return executions.filter(
    ({ workflowId, taskQueue }) => roots.get(rootOf(workflowId)) ?? taskQueue === link.taskQueue,
  );
}

/** Throws a usage error for a run of another project; one that the server does not know is none. */
export async function requireOwnRun(
  run: string,
  link: Pick<TemporalLink, 'client' | 'embedded'>,
  store: Owner,
): Promise<void> {
  const root = rootOf(run);
  const found = await describe(link.client, root);
  if (found !== null && !isOwnRun(found.memo, link, store)) throw ofAnotherProject(root, store);
}

function ofAnotherProject(run: string, { id }: Owner): CliError {
  return usageError(
    `The run \`${run}\` is of another project on this server; the store here is \`${id}\`.`,
    'Run the command in the folder of that project. `perdure list` shows the runs that are known here.',
  );
}
