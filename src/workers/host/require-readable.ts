import type { Client } from '@temporalio/client';
import { INTERPRETER } from '../../plan/names.js';
import { KeyError } from '../../store/encryption/key-error.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { named } from '../../store/encryption/key-ring.js';
import { payloadKey } from '../encryption/payload-codec.js';
import type { Listed } from '../connection/list-pages.js';
import { listPages } from '../connection/list-pages.js';

/**
 * Sees to it that a worker can read the open runs of its queue before it polls: it would fail their tasks. Throws a
 * KeyError that names a run and its key.
 */
export async function requireReadable(client: Client, taskQueue: string, ring: KeyRing | null): Promise<void> {
  const query = `WorkflowType = '${INTERPRETER}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  for await (const listed of listPages(client, query))
    for (const execution of listed) requireKeysOf(execution, ring?.ids ?? []);
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
