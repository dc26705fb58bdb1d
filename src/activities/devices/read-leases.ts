import { Context } from '@temporalio/activity';
import { ServiceError } from '@temporalio/client';
import type { Lease } from '../../plan/devices/device-queue.js';
import { KEEPER } from '../../plan/devices/device-queue.js';
import type { Activities } from '../contract.js';
import { leasesIn } from './leases-in.js';

/** Reads what the other keepers of the namespace show, a moment late at most: `Lease`s of devices of other hosts. */
export function createReadLeases(): Activities['readLeases'] {
  return async () => {
    const { client, info } = Context.current();
    const leases: Lease[] = [];
    const query = `WorkflowType = '${KEEPER}' AND ExecutionStatus = 'Running'`;
    try {
      for await (const { workflowId, memo } of client.workflow.list({ query }))
        if (workflowId !== info.workflowExecution?.workflowId) leases.push(...leasesIn(memo));
    } catch (error) {
      // The server's own are tried again. Else a memo cannot be read that no keeper wrote: what was seen has to do.
      if (error instanceof ServiceError) throw error;
    }
    return leases;
  };
}
