import { leaveOutPromiseHook } from './promise-hook.js';

// The thread in which a worker runs workflow code: the SDK's own, without its promise hook.
leaveOutPromiseHook();
await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js');
