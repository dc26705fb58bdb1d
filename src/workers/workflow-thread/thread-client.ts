import type { Worker as Thread } from 'node:worker_threads';
import type { WorkerOptions } from '@temporalio/worker';
import { WorkerThreadClient } from '@temporalio/worker/lib/workflow/threaded-vm.js';
import type { WorkerThreadInput } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import type { WorkerThreadOutput } from '@temporalio/worker/lib/workflow/workflow-worker-thread/output.js';

/** A machine that slept looks once when it wakes, and not this often. */
const LOOKS = 3;

/** What the SDK's own client takes beside the thread, and how long an answer may take. */
interface Watch {
  logger: NonNullable<ConstructorParameters<typeof WorkerThreadClient>[1]>;
  patchActivationCallback: WorkerOptions['patchActivationCallback'];
  limitMs: number;
}

/**
 * The SDK's client of the thread that runs workflow code, with a watch. When something was asked and the thread has not
 * answered for `limitMs`, the thread ends, and the worker with it. The SDK's limit of each call, which this replaces,
 * starts and ends a thread of Node's for each; and when it is over where an `await` went on in a scope, Node ends the
 * whole process.
 */
export class ThreadClient extends WorkerThreadClient {
  #asked = 0;
  #looks = 0;

  constructor(thread: Thread, { logger, patchActivationCallback, limitMs }: Watch) {
    super(thread, logger, patchActivationCallback);
    const timer = setInterval(() => {
      this.#look(limitMs);
    }, limitMs / LOOKS);
    timer.unref();
    thread.once('exit', () => {
      clearInterval(timer);
    });
  }

  override async send(input: WorkerThreadInput): Promise<WorkerThreadOutput> {
    this.#asked++;
    try {
      return await super.send(input);
    } finally {
      this.#asked--;
      this.#looks = 0;
    }
  }

  #look(limitMs: number): void {
    if (this.#asked === 0 || ++this.#looks <= LOOKS) return;
    this.logger.error(
      `The thread that runs workflow code has not answered for ${String(limitMs / 1000)} s: the worker ends.`,
    );
    void this.workerThread.terminate();
  }
}
