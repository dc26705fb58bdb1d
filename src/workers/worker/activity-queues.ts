import type { WorkerOptions } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import type { WorkerDeployment } from '../../plan/placement/deployment.js';
import { isOwnQueue } from '../../plan/placement/home.js';
import { versionOptions } from '../deployment/version-options.js';
import { WORKER_OPTIONS } from './worker-options.js';

/** Few wait in such a queue: each poll is a call that stays open. */
const POLLS = 2;

/** Queues of which a process takes activities, beside the one whose workflows it runs. */
export interface ActivityQueues {
  /** Resolves when it takes from a queue; once more, and at the same time, does nothing else. */
  serve(queue: string): Promise<void>;
  /** Takes nothing more, and resolves when what runs has ended. */
  stop(): Promise<void>;
}

/** What all of them have in common with the process's own worker. */
export type SharedOptions = Required<Pick<WorkerOptions, 'connection' | 'namespace' | 'identity' | 'activities'>> &
  Pick<WorkerOptions, 'dataConverter' | 'shutdownGraceTime' | 'shutdownForceTime'> & {
    /** The version whose steps it takes; null for none. */
    deployment: WorkerDeployment | null;
  };

/** `onFailed` is told of one that cannot go on: what waits there would wait for nothing. */
export function createActivityQueues(
  { deployment, ...shared }: SharedOptions,
  onFailed: (error: unknown) => void,
): ActivityQueues {
  const opened = new Map<string, Promise<Running>>();
  let isStopped = false;

  async function open(queue: string): Promise<Running> {
    const worker = await Worker.create({
      ...WORKER_OPTIONS,
      maxConcurrentActivityTaskPolls: POLLS,
      ...shared,
      // The queue of one worker alone is taken from by no other version.
      ...versionOptions(isOwnQueue(queue) ? null : deployment),
      taskQueue: queue,
    });
    return { worker, ended: worker.run().catch(onFailed) };
  }

  return {
    async serve(queue) {
      if (isStopped) return;
      // Two runs that begin at once both want the queue of this worker, which opens it once.
      const opening = opened.get(queue) ?? open(queue);
      opened.set(queue, opening);
      await opening.catch((error: unknown) => {
        opened.delete(queue);
        throw error;
      });
    },
    async stop() {
      isStopped = true;
      const end = async ({ worker, ended }: Running): Promise<void> => {
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await ended;
      };
      await Promise.all([...opened.values()].map((opening) => opening.then(end, () => undefined)));
    },
  };
}

interface Running {
  worker: Worker;
  ended: Promise<void>;
}
