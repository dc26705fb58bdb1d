import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';

/**
 * To be called before workflow code is loaded in this thread: the SDK then formats and keeps no stack trace of each
 * promise that a workflow makes, which costs more than the interpreter itself (`docs/performance.md`). They are for its
 * query `__stack_trace`, which says that traces are not enabled; a run tells where it stands by its steps. The SDK can
 * do without, since not every Node has the hook that it uses.
 */
export function leaveOutPromiseHook(): void {
  Object.assign(globalHandlers, { setPromiseHook: () => undefined });
}
