import { Context } from '@temporalio/activity';
import type { Lease } from '../../plan/devices/device-queue.js';
import { KEEPER, LEASES_MEMO } from '../../plan/devices/device-queue.js';
import type { Activities } from '../contract.js';

/** Reads what the other keepers of the namespace show, a moment late at most: `Lease`s of devices of other hosts. */
export function createReadLeases(): Activities['readLeases'] {
  return async () => {
    const { client, info } = Context.current();
    const leases: Lease[] = [];
    for await (const { workflowId, memo } of client.workflow.list({
      query: `WorkflowType = '${KEEPER}' AND ExecutionStatus = 'Running'`,
    })) {
      const shown = memo?.[LEASES_MEMO];
      // as a keeper wrote it
      if (workflowId !== info.workflowExecution?.workflowId && Array.isArray(shown)) leases.push(...(shown as Lease[]));
    }
    return leases;
  };
}
