import { WorkflowNotFoundError } from '@temporalio/client';
import type { UseState } from '../../activities/made/remove-made.js';
import { removeMade } from '../../activities/made/remove-made.js';
import type { Store } from '../../store/store.js';
import type { ClientPlace } from '../connection/temporal-client.js';
import { createClient } from '../connection/temporal-client.js';

/**
 * Removes made files whose runs ended while nobody could do it: the worker was killed, or the run was terminated. A run
 * that closes by itself does it in its last activity.
 */
export async function sweepMade(store: Store, place: ClientPlace): Promise<string[]> {
  const client = createClient(place);
  return removeMade(store, async (run): Promise<UseState> => {
    if ((await store.readRun(run)) !== null) return 'closed';
    try {
      const { status } = await client.workflow.getHandle(run).describe();
      return status.name === 'RUNNING' ? 'open' : 'closed';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'unknown';
      throw error;
    }
  });
}
