import payloadVisitor from '@temporalio/common/lib/internal-non-workflow/payload-visitor.js';
import { LoggerWithComposedMetadata } from '@temporalio/common/lib/logger.js';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options.js';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';

/**
 * Leaves out what the SDK does in this process for options that no worker of ours has (`docs/performance.md`):
 *
 * - four times a step all payloads of a task are walked for codecs and an external storage, of which there are none;
 * - what is traced or logged for debugging gets its attributes collected before the logger, which takes warnings and
 *   errors, drops it.
 *
 * Throws where a worker does have codecs or a storage.
 */
export function leaveOutUnusedOptions({
  loadedDataConverter: { payloadCodecs, externalStorage },
}: CompiledWorkerOptions): void {
  if (payloadCodecs.length > 0 || externalStorage !== undefined)
    throw new Error('Expected a worker without payload codecs and external storage');
  Object.assign(payloadVisitor, { visit: () => Promise.resolve() });
  Object.assign(LoggerWithComposedMetadata.prototype, { trace: () => undefined, debug: () => undefined });
}

/**
 * To be called before workflow code is loaded in this thread: the SDK then formats and keeps no stack trace of each
 * promise that a workflow makes, which costs more than the interpreter itself (`docs/performance.md`). They are for its
 * query `__stack_trace`, which says that traces are not enabled; a run tells where it stands by its steps. The SDK can
 * do without, since not every Node has the hook that it uses.
 */
export function leaveOutPromiseHook(): void {
  Object.assign(globalHandlers, { setPromiseHook: () => undefined });
}
