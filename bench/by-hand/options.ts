/** The same as the interpreter's: neither side may wait longer, retry more or be watched less. */
export const START_TO_CLOSE = '330s';
export const HEARTBEAT_TIMEOUT = '10s';
export const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;

/** As our worker's, tuning included: what is compared is the interpreter, not the settings. */
export const WORKER_OPTIONS = {
  maxConcurrentActivityTaskExecutions: 100,
  maxEagerActivityReservationsPerWorkflowTask: 100,
  maxHeartbeatThrottleInterval: '2s',
  stickyQueueScheduleToStartTimeout: '3s',
  maxCachedWorkflows: 1000,
} as const;
