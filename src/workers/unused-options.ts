import payloadVisitor from '@temporalio/common/lib/internal-non-workflow/payload-visitor.js';
import { LoggerWithComposedMetadata } from '@temporalio/common/lib/logger.js';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options.js';

/**
 * Leaves out what the SDK does in this process for options that no worker of ours has. Some of it is done five times a step, and makes a
 * third of the promises that a step's activity takes (`docs/performance.md`):
 *
 * - each payload of each task is shown to codecs and to an external storage, of which there are none;
 * - what is traced or logged for debugging gets its attributes collected before the logger, which takes warnings and errors, drops it.
 *
 * Throws where a worker does have codecs or a storage.
 */
export function leaveOutUnusedOptions({ loadedDataConverter: { payloadCodecs, externalStorage } }: CompiledWorkerOptions): void {
  if (payloadCodecs.length > 0 || externalStorage !== undefined) throw new Error('Expected a worker without payload codecs and external storage');
  Object.assign(payloadVisitor, { visit: () => Promise.resolve() });
  Object.assign(LoggerWithComposedMetadata.prototype, { trace: () => undefined, debug: () => undefined });
}
