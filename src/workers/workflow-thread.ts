import { Script } from 'node:vm';
import type { Context, RunningScriptInNewContextOptions } from 'node:vm';
import { leaveOutPromiseHook } from './promise-hook.js';

/** What the SDK leaves in a sandbox before it calls into it, and what it keeps there of the run that it has called last. */
interface Sandbox extends Context {
  __temporal_args?: [holder: unknown, name: string, args: unknown[]];
  __TEMPORAL_ACTIVATOR__?: { blockedConditions: ReadonlyMap<number, unknown> };
}

// The thread in which a worker of ours runs workflow code: the SDK's, but for its promise hook, and for time limits of calls that run nothing
// of a workflow's. Node starts and ends a thread for each limit: two of three calls for a workflow task.
leaveOutPromiseHook();
const { runInContext } = Object.getOwnPropertyDescriptors(Script.prototype);
Object.defineProperty(Script.prototype, 'runInContext', {
  ...runInContext,
  value(this: Script, context: Sandbox, options: RunningScriptInNewContextOptions): unknown {
    return Reflect.apply(runInContext.value ?? failing, this, [context, runsWorkflow(context) ? options : {}]);
  },
});
await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js');

/** The first call of a task has told what happened, and has run what follows from that; what is left are conditions that became true, and to collect the commands. */
function runsWorkflow({ __temporal_args: call, __TEMPORAL_ACTIVATOR__: activator }: Sandbox): boolean {
  if (call?.[1] === 'concludeActivation') return false;
  return call?.[1] !== 'tryUnblockConditions' || activator?.blockedConditions.size !== 0;
}

function failing(): never {
  throw new Error('Expected `Script.runInContext` of node:vm');
}
