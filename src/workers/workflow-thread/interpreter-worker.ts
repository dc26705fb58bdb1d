import { join } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { Worker } from '@temporalio/worker';
import type { Logger } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options.js';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm.js';
import type {
  Init,
  WorkflowBundleWithSourceMapAndFilename,
} from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import { packageRoot } from '../../store/folders/package-root.js';
import { encodeFailures } from './encoded-failures.js';
import { leaveOutPromiseHook } from './promise-hook.js';
import { ThreadClient } from './thread-client.js';

/**
 * Of the thread's heap, where a workflow task leaves little behind: V8's default lets it grow to 48 MB before what
 * nobody needs is collected, as much as 400 waiting runs. A step takes no longer for it.
 */
const YOUNG_MB = 3;

/**
 * Temporal's worker, but for the thread that runs workflow code: it has no promise hook, a small young generation, and
 * in place of a limit for each call a watch over the thread (decision 17). All options of the SDK hold, data converters
 * included; where it has codecs, messages of failures go through them too.
 */
export class InterpreterWorker extends Worker {
  protected static override async createWorkflowCreator(
    workflowBundle: WorkflowBundleWithSourceMapAndFilename,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    // Replays run in this thread.
    if (options.debugMode) {
      leaveOutPromiseHook();
      return encodeFailures(await super.createWorkflowCreator(workflowBundle, options, logger), options);
    }
    const { isolateExecutionTimeoutMs: limitMs, activities, reuseV8Context = true, patchActivationCallback } = options;
    const thread = new Thread(join(packageRoot(), 'dist', 'workers', 'workflow-thread', 'thread-main.js'), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    const client = new ThreadClient(thread, logger, patchActivationCallback);
    const init: Omit<Init, 'isolateExecutionTimeoutMs'> = {
      type: 'init',
      workflowBundle,
      reuseV8Context,
      registeredActivityNames: new Set(activities.keys()),
      hasPatchActivationCallback: patchActivationCallback !== undefined,
    };
    // Without the limit: the thread hands it to `node:vm`, to which none is none. The SDK declares it as always there.
    await client.send(init as Init);
    client.watch(limitMs);
    return encodeFailures(new ThreadedVMWorkflowCreator([client]), options);
  }
}
