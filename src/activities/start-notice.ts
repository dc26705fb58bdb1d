import { Context } from '@temporalio/activity';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { NOTICE_WORKFLOW } from '../plan/notice.js';
import type { Activities } from './contract.js';

/** Starts what tells a notice, on the run's own task queue. An id that was used before says that it is told already. */
export function createStartNotice(): Activities['startNotice'] {
  return async ({ id, notify, told }) => {
    const {
      client,
      info: { taskQueue },
    } = Context.current();
    try {
      await client.workflow.start(NOTICE_WORKFLOW, {
        workflowId: id,
        taskQueue,
        args: [notify, told],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        staticSummary: `${told.notice.event}: ${told.notice.run}`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
}
