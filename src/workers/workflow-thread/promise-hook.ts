import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';

/**
 * Leaves out the SDK's promise hook in this thread. Call it before workflow code is loaded.
 *
 * The hook formats and keeps a stack trace of each promise that a workflow makes, for the query `__stack_trace`, which
 * then says that traces are not enabled. A run tells by its steps where it stands. The SDK works without the hook, as
 * some versions of Node have none. What it costs: `docs/performance.md`.
 */
export function leaveOutPromiseHook(): void {
  Object.assign(globalHandlers, { setPromiseHook: () => undefined });
}
