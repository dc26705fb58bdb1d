import { hostname } from 'node:os';
import type { WorkerRecord } from '../../plan/placement/worker-record.js';
import { folderOnHost } from '../../plan/placement/worker-record.js';
import { newId } from '../../store/identity.js';
import type { Store } from '../../store/store.js';
import { grpcCodeOf, NOT_FOUND, UnavailableError } from '../errors.js';
import type { Namespace } from './task-queue.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** `WORKFLOW_EXECUTION_STATUS_RUNNING` of Temporal's API. */
const RUNNING = 1;
const NAMED = 3;

/**
 * Throws an UnavailableError where open runs work in the project's folder of another worker that is there: their steps
 * would find the files of this one. It is seen as a worker before it looks, and a submission looks after it is noted,
 * so that one of two that come at once finds the other.
 */
export async function requireNoOtherFolder(
  { connection, namespace, taskQueue: queue }: Namespace & { taskQueue: string },
  store: Pick<Store, 'homes' | 'folder' | 'listWorkers' | 'noteWorker' | 'forgetWorker' | 'listUnrecorded'>,
): Promise<void> {
  if (store.homes === null) return;
  const own: WorkerRecord = {
    id: newId(),
    host: hostname(),
    pid: process.pid,
    folder: store.folder ?? '',
    queue,
    labels: [],
    serves: [],
    since: new Date().toISOString(),
    draining: true,
  };
  await store.noteWorker(own);
  try {
    const other = (await store.listWorkers()).find(({ host, folder }) => host !== own.host || folder !== own.folder);
    if (other === undefined) return;
    const open: string[] = [];
    for (const { run, in_folder } of await store.listUnrecorded())
      if (in_folder === true && (await isOpen(run, { connection, namespace }))) open.push(run);
    if (open.length > 0) throw torn(open, other);
  } finally {
    await store.forgetWorker(own.id);
  }
}

async function isOpen(workflowId: string, { connection, namespace }: Namespace): Promise<boolean> {
  try {
    const found = await connection.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
    return Number(found.workflowExecutionInfo?.status) === RUNNING;
  } catch (error) {
    if (grpcCodeOf(error) === NOT_FOUND) return false;
    throw error;
  }
}

function torn(open: string[], other: WorkerRecord): UnavailableError {
  const [first] = open;
  const names = open.slice(0, NAMED).map((run) => `\`${run}\``);
  return new UnavailableError(
    `${open.length === 1 ? 'An open run works' : `${String(open.length)} open runs work`} in the project's folder of ` +
      `another worker, ${folderOnHost(other)}: ${names.join(', ')}${open.length > NAMED ? ', …' : ''}. Steps ` +
      `that came here would find other files.`,
    `Let ${open.length === 1 ? 'it' : 'them'} end, as ` +
      `\`${shellCommand('perdure watch', [first ?? ''])}\` shows, or stop that worker. ` +
      'With `workspace: worktree` files go along.',
  );
}
