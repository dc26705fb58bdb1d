import { WorkerThreadClient } from '@temporalio/worker/lib/workflow/threaded-vm.js';
import type { WorkerThreadInput } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import type { WorkerThreadOutput } from '@temporalio/worker/lib/workflow/workflow-worker-thread/output.js';

/** A machine that slept looks once when it wakes, and not this often. */
const LOOKS = 3;

/**
 * The SDK's client of the thread that runs workflow code, with a watch. The SDK's limit of each call, which this
 * replaces, starts and ends a thread of Node's for each; and when it is over where an `await` went on in a scope, Node
 * ends the whole process.
 */
export class ThreadClient extends WorkerThreadClient {
  #asked = 0;
  #looks = 0;

  /**
   * Ends the thread, and the worker with it, when something was asked and there was no answer for `limitMs`. Called
   * once the thread has loaded its code, which a busy machine may take its time for.
   */
  watch(limitMs: number): void {
    const timer = setInterval(() => {
      this.#look(limitMs);
    }, limitMs / LOOKS);
    timer.unref();
    this.workerThread.once('exit', () => {
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
