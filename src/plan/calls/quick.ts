/** The time limit of one try, in milliseconds, up to which a step may run within a workflow task. */
export const QUICK_MS = 10_000;
