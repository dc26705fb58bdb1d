import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { grpcTrouble } from '../../cli/grpc.js';
import { STARTER } from '../../plan/triggers/start.js';

/** What counts the open runs of a hook. The server's list follows what was started by a moment: a burst is faster. */
export interface HookQueue {
  /** Has one after the other look whether there is room, and begin what it begins. */
  inTurn<T>(act: () => Promise<T>): Promise<T>;
  /** Notes a starter that is begun here. */
  begins(starter: string): void;
  /** Whether at least so many starters below a prefix are open; in turn alone. */
  isFull(most: number, prefix: string, link: Pick<TemporalLink, 'client'>): Promise<boolean>;
}

/** The queue of one hook of one listener. */
export function createQueue(): HookQueue {
  /** Begun here, and neither seen in the server's list since nor known to have ended. */
  const begun = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    inTurn(act) {
      const mine = last.then(act);
      last = mine.catch(() => undefined);
      return mine;
    },
    begins: (starter) => void begun.add(starter),
    async isFull(most, prefix, { client: { workflow } }) {
      const open = `WorkflowType = '${STARTER}' AND ExecutionStatus = 'Running'`;
      const query = `${open} AND WorkflowId STARTS_WITH '${prefix}'`;
      if ((await workflow.count(query)).count + begun.size < most) return false;
      // There may be some in both.
      const listed = new Set<string>();
      for await (const { workflowId } of workflow.list({ query, pageSize: 1000 })) listed.add(workflowId);
      for (const starter of begun) if (listed.has(starter) || !(await isOpen(workflow, starter))) begun.delete(starter);
      return listed.size + begun.size >= most;
    },
  };
}

/** A run says itself whether it is open, without delay. */
async function isOpen(workflow: TemporalLink['client']['workflow'], starter: string): Promise<boolean> {
  try {
    return (await workflow.getHandle(starter).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (grpcTrouble(error) === 'not-found') return false;
    throw error;
  }
}
