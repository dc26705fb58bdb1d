import { leaveOutPromiseHook } from './promise-hook.js';

// The thread in which a worker of ours runs workflow code: the SDK's, but for its promise hook.
leaveOutPromiseHook();
await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js');
