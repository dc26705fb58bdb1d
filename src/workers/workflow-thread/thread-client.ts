import type { Worker as Thread } from 'node:worker_threads';
import type { Logger } from '@temporalio/worker';
import { WorkerThreadClient } from '@temporalio/worker/lib/workflow/threaded-vm.js';
import type { WorkerThreadInput } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import type { WorkerThreadOutput } from '@temporalio/worker/lib/workflow/workflow-worker-thread/output.js';

/** What the thread adds to a task's commands: whether the workflow logged anything in it. */
export interface Concluded {
  loggedNothing?: boolean;
}

/** A machine that slept looks once when it wakes, and not this often. */
const LOOKS = 3;

/**
 * The SDK's client of the thread that runs workflow code, but for two things. It asks for what a task logged only when
 * there is something: the task's commands would wait for the answer. And it ends a thread that has not answered for
 * `limitMs`, and the worker with it, when something was asked: the SDK's limit of each call costs a thread of Node's
 * each, and when it is over where an `await` went on in a scope, Node ends the whole process.
 */
export class ThreadClient extends WorkerThreadClient {
  readonly #quiet = new Set<string>();
  #asked = 0;
  #looks = 0;

  constructor(thread: Thread, logger: Logger, limitMs: number) {
    super(thread, logger);
    const timer = setInterval(() => {
      this.#look(limitMs);
    }, limitMs / LOOKS);
    timer.unref();
    thread.once('exit', () => {
      clearInterval(timer);
    });
  }

  override async send(input: WorkerThreadInput): Promise<WorkerThreadOutput> {
    if (input.type === 'extract-sink-calls' && this.#quiet.delete(input.runId))
      return { type: 'sink-calls', calls: [] };
    const output = await this.#ask(input);
    if (input.type === 'activate-workflow' && output?.type === 'activation-completion' && loggedNothing(output))
      this.#quiet.add(input.runId);
    return output;
  }

  async #ask(input: WorkerThreadInput): Promise<WorkerThreadOutput> {
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

function loggedNothing({ completion }: { completion: object }): boolean {
  return 'loggedNothing' in completion && completion.loggedNothing === true;
}
