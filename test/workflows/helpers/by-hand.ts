import { executeChild, proxyActivities, workflowInfo } from '@temporalio/workflow';

const { act } = proxyActivities<{ act: (step: number) => Promise<string> }>({ startToCloseTimeout: '1 minute' });

/** What somebody would write who needs just this: ten activities one after the other. */
export async function childByHand(steps: number): Promise<string> {
  let last = '';
  for (let step = 0; step < steps; step += 1) last = await act(step);
  return last;
}

/** One such child. */
export function parentByHand(steps: number): Promise<string> {
  return executeChild(childByHand, { workflowId: `${workflowInfo().workflowId}/child`, args: [steps] });
}
