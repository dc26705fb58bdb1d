/** Type of the failure that says that another worker has a run's workspace. */
export const WORKSPACE_LOST = 'workspace-lost';

/** The queue of one worker alone, beside the one that all workers of the store poll. */
export function ownQueue(base: string, worker: string): string {
  return `${base}/worker/${worker}`;
}

/** Tells whether an activity was sent to one worker: it works in a workspace that travels. */
export function isOwnQueue(queue: string): boolean {
  return /\/worker\/[a-z2-7]+$/.test(queue);
}
