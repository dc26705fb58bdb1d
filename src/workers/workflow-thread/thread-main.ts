import { Script } from 'node:vm';
import { leaveOutPromiseHook } from './skipped-sdk-work.js';
import { concludes, switchRun } from './shared-sandbox.js';
import type { Sandbox } from './shared-sandbox.js';
import type { Concluded } from './thread-client.js';

// The thread in which a worker of ours runs workflow code: the SDK's, but for its promise hook, for what runs keep of
// the sandbox, and for the time limit of each call into it, for which Node starts and ends a thread: `thread-client.ts`
// watches instead, and is told with a task's commands whether it logged anything.
leaveOutPromiseHook();
const { runInContext } = Object.getOwnPropertyDescriptors(Script.prototype);
Object.defineProperty(Script.prototype, 'runInContext', {
  ...runInContext,
  value(this: Script, sandbox: Sandbox): unknown {
    switchRun(sandbox);
    const isLast = concludes(sandbox);
    const result: unknown = Reflect.apply(runInContext.value ?? failing, this, [sandbox, {}]);
    return isLast
      ? Object.assign(Object(result), {
          loggedNothing: sandbox.__TEMPORAL_ACTIVATOR__?.sinkCalls.length === 0,
        } satisfies Concluded)
      : result;
  },
});
await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js');

function failing(): never {
  throw new Error('Expected `Script.runInContext` of node:vm');
}
