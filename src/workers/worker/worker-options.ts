import { totalmem } from 'node:os';

/** Model calls and commands of all runs together; a run's own window is narrower (I11). */
const ACTIVITIES = 100;

/**
 * What every worker of ours is set to. The benchmark's hand-written side takes the same, so that only the code differs.
 */
export const WORKER_OPTIONS = {
  maxConcurrentActivityTaskExecutions: ACTIVITIES,
  maxConcurrentLocalActivityExecutions: ACTIVITIES,
  // Decision 8: a step's activity comes with the completion of the task that scheduled it.
  maxEagerActivityReservationsPerWorkflowTask: 100,
  // Both are how long people wait: for a cancellation to arrive, and for a run to move on from a killed worker.
  maxHeartbeatThrottleInterval: '2s',
  stickyQueueScheduleToStartTimeout: '3s',
  shutdownGraceTime: '10s',
  shutdownForceTime: '15s',
  // How long the thread that runs workflow code may leave a task unanswered, of wall time, so a busy machine counts;
  // then the worker ends (`thread-client.ts`). To the hand-written side it is the limit of each call. The SDK takes it,
  // and does not declare it.
  isolateExecutionTimeout: '30s',
  maxCachedWorkflows: cachedWorkflows(),
} as const;

/**
 * Flags of Node for a worker's process. In V8's usual young generation (16 MB a half) what fifty calls at once hold
 * outlives its time: it is copied, kept and marked later, which took a sixth of a worker's CPU.
 */
export const WORKER_FLAGS: readonly string[] = ['--max-semi-space-size=32'];

/**
 * A cached run takes well under a megabyte with `reuseV8Context` (the SDK's default); replaying one takes milliseconds.
 */
function cachedWorkflows(): number {
  const gigabytes = totalmem() / 1024 ** 3;
  return Math.round(Math.min(1000, Math.max(100, gigabytes * 100)));
}
