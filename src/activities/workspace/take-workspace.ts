import { Context } from '@temporalio/activity';
import { isOwnQueue } from '../../plan/placement/home.js';
import { startHeartbeat } from '../attempt/heartbeat.js';
import { whileKeeping } from '../attempt/kept-files.js';
import type { Activities } from '../contract.js';
import { stepFailure } from '../failures.js';
import type { HeldWorkspaces } from './held-workspaces.js';

/** Takes the workspace of a run, or waits for the end of a worker that may be lost; then it stands on this machine. */
export function createTakeWorkspace(workspaces: HeldWorkspaces | null): Activities['takeWorkspace'] {
  return async (call) => {
    const context = Context.current();
    if (workspaces === null)
      throw stepFailure('worktree-missing', 'The workspace of this run is in a database, and this worker has none.');
    return alive(() =>
      workspaces.take(call, context.info.workflowExecution?.workflowId ?? '', context.cancellationSignal),
    );
  };
}

/**
 * An activity that was sent to this worker alone works in a workspace that it has, and what it changes there is kept
 * before anybody is told of its end; one that only `reads` changes nothing.
 */
export function holding(
  workspaces: HeldWorkspaces | null,
  { reads = false }: { reads?: boolean } = {},
): <C extends { root?: { run: string }; run?: string }, R>(
  activity: (call: C) => Promise<R>,
) => (call: C) => Promise<R> {
  return (activity) => async (call) => {
    const context = Context.current();
    const run = call.root?.run ?? call.run;
    if (workspaces === null || run === undefined || !isOwnQueue(context.info.taskQueue)) return activity(call);
    await alive(() => workspaces.enter(run));
    if (reads) return activity(call);
    const { activityId, workflowExecution } = context.info;
    const ended = { workflow: workflowExecution?.workflowId ?? '', activity: activityId };
    return whileKeeping(
      () => alive(() => workspaces.keep(run, ended)),
      () => activity(call),
    );
  };
}

/** Heartbeats meanwhile: the activity itself does so while it acts. */
async function alive<T>(act: () => Promise<T>): Promise<T> {
  const stop = startHeartbeat(Context.current(), () => ({}));
  try {
    return await act();
  } finally {
    stop();
  }
}
