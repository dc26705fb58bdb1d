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
  /** Takes from a queue from now on; once more does nothing. */
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
  const running = new Map<string, { worker: Worker; ended: Promise<void> }>();
  let isStopped = false;
  return {
    async serve(queue) {
      if (running.has(queue) || isStopped) return;
      const worker = await Worker.create({
        ...WORKER_OPTIONS,
        maxConcurrentActivityTaskPolls: POLLS,
        ...shared,
        // The queue of one worker alone is taken from by no other version.
        ...versionOptions(isOwnQueue(queue) ? null : deployment),
        taskQueue: queue,
      });
      const ended = worker.run().catch(onFailed);
      running.set(queue, { worker, ended });
    },
    async stop() {
      isStopped = true;
      for (const { worker } of running.values()) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
