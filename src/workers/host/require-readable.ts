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

/**
 * Sees to it that a worker can read the open runs of its queue, and what schedules start there, before it polls: it
 * would fail their tasks. Throws a KeyError that names a run or a schedule, and its key.
 */
export async function requireReadable(client: Client, taskQueue: string, ring: KeyRing | null): Promise<void> {
  const query = `WorkflowType = '${INTERPRETER}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  for await (const listed of listPages(client, query))
    for (const execution of listed) requireKeysOf(execution, ring?.ids ?? []);
  for await (const scheduleId of listScheduleIds(client)) await requireKeyOf(scheduleId, { client, taskQueue, ring });
}

async function requireKeyOf(
  scheduleId: string,
  { client, taskQueue, ring }: { client: Client; taskQueue: string; ring: KeyRing | null },
): Promise<void> {
  const { namespace } = client.options;
  const asked = await client.workflowService.describeSchedule({ namespace, scheduleId }).catch(gone);
  if (asked?.schedule?.action?.startWorkflow?.taskQueue?.name !== taskQueue) return;
  const id = argumentKey(asked);
  if (id === null || ring?.ids.includes(id) === true) return;
  throw new KeyError(
    `The schedule \`${scheduleId}\` is encrypted with the key \`${id}\`, and \`encryption\` of perdure.yml has ` +
      `${named(ring?.ids ?? [])}: no run that it starts could be read.`,
    'Add that key to the list, after the first one; `perdure schedules sync` encrypts schedules with the first one.',
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
