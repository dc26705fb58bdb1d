import { Context } from '@temporalio/activity';
import { KEEPER, KEEPER_SIGNAL, keeperIdOf } from '../../plan/devices/device-queue.js';
import type { Activities } from '../contract.js';

/**
 * Tells the keeper of a host's devices something, and starts it where it does not run. Saying the same twice changes
 * nothing.
 */
export function createTellKeeper(): Activities['tellKeeper'] {
  return async (message, queue) => {
    const { client } = Context.current();
    await client.workflow.signalWithStart(KEEPER, {
      workflowId: keeperIdOf(queue),
      taskQueue: queue,
      signal: KEEPER_SIGNAL,
      signalArgs: [message],
    });
  };
}
