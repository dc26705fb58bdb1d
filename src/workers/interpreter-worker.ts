import { Worker } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options.js';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';

/** Where V8 looks for what formats the traces of this thread's errors. */
const traces: { prepareStackTrace?: (error: Error, sites: NodeJS.CallSite[]) => unknown } = Error;

/**
 * Temporal's worker, but for two things that cost more than the interpreter itself (`docs/performance.md`):
 * - Workflow code runs in the thread of the worker, as the SDK lets replays run it, instead of one of its own: no task crosses
 *   threads, and the process has one heap instead of two. The sandbox and its time limit are the same. What the interpreter does between two
 *   commands takes well under a millisecond, so neither heartbeats nor answers wait for it.
 * - No promise's stack trace is formatted and kept until somebody asks where a workflow stands: a run tells that itself, by its steps. So the query
 *   `__stack_trace` says that traces are not enabled. The SDK can do without, since not every Node has the hook that it uses.
 */
export class InterpreterWorker extends Worker {
  protected static override async createWorkflowCreator(bundle: WorkflowBundleWithSourceMapAndFilename, { isolateExecutionTimeoutMs, activities }: CompiledWorkerOptions): Promise<ReusableVMWorkflowCreator> {
    const { prepareStackTrace } = traces;
    withoutPromiseHook();
    const creator = await ReusableVMWorkflowCreator.create(bundle, isolateExecutionTimeoutMs, new Set(activities.keys()));
    keepFormat(prepareStackTrace);
    return creator;
  }
}

function withoutPromiseHook(): void {
  Object.assign(globalHandlers, { setPromiseHook: () => undefined });
}

/** The SDK formats the traces of all errors of the thread, and knows by the map of its bundle where those of workflows come from. Ours keep their form. */
function keepFormat(format: typeof traces.prepareStackTrace): void {
  const { prepareStackTrace: ofWorkflows } = traces;
  if (format === undefined || ofWorkflows === undefined || ofWorkflows === format) return;
  traces.prepareStackTrace = (error, sites) => (error instanceof Error ? format(error, sites) : ofWorkflows(error, sites));
}
