import type { Client } from '@temporalio/client';
import { status } from '@grpc/grpc-js';
import { INTERPRETER } from '../../plan/names.js';
import { KeyError } from '../../store/encryption/key-error.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { named } from '../../store/encryption/key-ring.js';
import { payloadKey } from '../encryption/payload-codec.js';
import { argumentKey, listScheduleIds } from '../connection/list-schedules.js';
import type { Listed } from '../connection/list-pages.js';
import { listPages } from '../connection/list-pages.js';

/** A worker's queue, its keys, and whose schedules start there. */
interface Readers {
  taskQueue: string;
  ring: KeyRing | null;
  store: { id: string };
}

/**
 * Sees to it that a worker can read the open runs of its queue before it polls: it would fail their tasks. Throws a
 * KeyError that names a run and its key.
 */
export async function requireReadable(client: Client, { taskQueue, ring }: Readers): Promise<void> {
  const query = `WorkflowType = '${INTERPRETER}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  for await (const listed of listPages(client, query))
    for (const execution of listed) requireKeysOf(execution, ring?.ids ?? []);
}

/**
 * Pauses the schedules of a store that start here what no worker could read, with a note that says why: it would fail
 * without a word. Nothing but them stands still, also where the key is lost. Gives what was paused, each in a sentence.
 */
export async function pauseUnreadable(client: Client, readers: Readers): Promise<string[]> {
  const paused: string[] = [];
  for await (const scheduleId of listScheduleIds(client, readers.store)) {
    const why = await unreadable(scheduleId, client, readers);
    if (why === null) continue;
    const { namespace } = client.options;
    await client.workflowService.patchSchedule({ namespace, scheduleId, patch: { pause: why } }).catch(gone);
    paused.push(`The schedule \`${scheduleId}\` is paused. ${why}`);
  }
  return paused;
}

/** Why nobody here could read what a schedule starts; null where somebody could, and where it is paused. */
async function unreadable(scheduleId: string, client: Client, { taskQueue, ring }: Readers): Promise<string | null> {
  const { namespace } = client.options;
  const asked = await client.workflowService.describeSchedule({ namespace, scheduleId }).catch(gone);
  if (asked?.schedule?.action?.startWorkflow?.taskQueue?.name !== taskQueue) return null;
  const id = argumentKey(asked);
  if (id === null || ring?.ids.includes(id) === true || asked.schedule.state?.paused === true) return null;
  return (
    `It is encrypted with the key \`${id}\`, and \`encryption\` of perdure.yml has ${named(ring?.ids ?? [])}. Add ` +
    'that key after the first one, then `perdure schedules sync` and `resume`; where it is lost, `remove` it and sync.'
  );
}

/** One that was removed meanwhile starts nothing. */
function gone(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === status.NOT_FOUND) return null;
  throw error;
}

function requireKeysOf({ execution, memo }: Listed, ids: readonly string[]): void {
  for (const field of Object.values(memo?.fields ?? {})) {
    const id = payloadKey(field);
    if (id === null || ids.includes(id)) continue;
    throw new KeyError(
      `The open run \`${execution?.workflowId ?? ''}\` is encrypted with the key \`${id}\`, and \`encryption\` of ` +
        `perdure.yml has ${named(ids)}.`,
      'Add that key to the list, after the first one. Nothing of the run is lost.',
    );
  }
}
