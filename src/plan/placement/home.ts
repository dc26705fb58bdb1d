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

/** A root run whose workspace travels, and of what it is made where nothing of it was kept. */
export interface TakeCall {
  run: string;
  project: string;
  carry: string[];
  from?: string;
  /** The queue that all workers of the store poll. */
  queue: string;
  /** The worker that had it and did not take what it was sent; absent for none. */
  lost?: string;
  /** The activity of the run that ended last of those that may have changed its files; absent for none. */
  ended?: string;
}

/** Who has a workspace, and the queue of that worker alone. */
export interface TakenHome {
  queue: string;
  holder: string;
}
