import { join } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { Worker } from '@temporalio/worker';
import type { Logger } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options.js';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm.js';
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import { packageRoot } from '../package-root.js';
import { leaveOutPromiseHook, leaveOutUnusedOptions } from './skipped-sdk-work.js';
import { ThreadClient } from './thread-client.js';

/**
 * Of the thread's heap, where a workflow task leaves little behind: V8's default lets it grow to 48 MB before what
 * nobody needs is collected, as much as 400 waiting runs. A step takes no longer for it.
 */
const YOUNG_MB = 3;

/**
 * Temporal's worker, but for the promise hook of the thread that runs workflow code, and for what the SDK does for
 * options that no worker of ours has; those are left out of `options` too.
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
      return super.createWorkflowCreator(workflowBundle, options, logger);
    }
    const { isolateExecutionTimeoutMs, activities } = options;
    leaveOutUnusedOptions(options);
    const thread = new Thread(join(packageRoot(), 'dist', 'workers', 'workflow-thread', 'thread-main.js'), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    const client = new ThreadClient(thread, logger, isolateExecutionTimeoutMs);
    await client.send({
      type: 'init',
      workflowBundle,
      isolateExecutionTimeoutMs,
      reuseV8Context: true,
      registeredActivityNames: new Set(activities.keys()),
      hasPatchActivationCallback: false,
    });
    return new ThreadedVMWorkflowCreator([client]);
  }
}
