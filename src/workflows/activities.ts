import { ApplicationFailure } from '@temporalio/common';
import { ActivityCancellationType, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities/contract.js';
import type { PaidBefore } from '../plan/budget/paid-before.js';
import type { CallHead } from '../plan/calls/short-call.js';
import type { FailureType } from '../plan/failure.js';
import { LONGEST_NAME } from '../plan/names.js';
import { queueFor } from '../plan/placement/requirement.js';
import type { RunSettings } from '../plan/run-input.js';
import type { Step, ToolStep } from '../plan/step.js';
import { QUICK_MS } from '../plan/calls/quick.js';
import { isBounded, QUICK_TOOLS } from '../plan/tools/tool.js';

/** How long an activity may take beyond the step's own limit, which the activity enforces itself: time to clean up. */
export const GRACE_MS = 30_000;

/** A lost worker is noticed after this time without a heartbeat. */
export const HEARTBEAT_TIMEOUT = '10s';

/** How a lost worker's activity is tried again. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
export const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;

/**
 * Options of an acting activity (I5). Failures that the activity reports are final by their own word; lost workers are
 * retried by Temporal, except for external effects, which are never repeated silently (decision 13).
 */
export function actingOptions(
  step: Step,
  path: string,
  summary: string,
  paid: PaidBefore | null = null,
): ActivityOptions {
  return {
    activityId: shortName(path),
    summary,
    startToCloseTimeout: step.timeout_ms + GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { ...RETRY, ...pausesAfter(paid), ...(step.effect === 'external' ? { maximumAttempts: 1 } : {}) },
    ...(step.requires === undefined ? {} : { taskQueue: shortName(queueFor(workflowInfo().taskQueue, step.requires)) }),
  };
}

/**
 * A name of an activity, a run or a queue as Temporal takes it. Throws what the step fails by that needs a longer one:
 * the server refuses a task with it again and again, and its run would stand still.
 */
export function shortName(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  throw ApplicationFailure.nonRetryable(
    `Expected a path and a queue of at most ${String(LONGEST_NAME)} characters, got ${String(name.length)}: give ` +
      `shorter ids to what this step is nested in, or nest less.`,
    'definition-invalid' satisfies FailureType,
  );
}

/** What goes on with a question that was refused for want of money goes on with its growing pauses. */
function pausesAfter(paid: PaidBefore | null): { initialInterval?: number } {
  if (paid === null || paid.waits === 0) return {};
  return { initialInterval: Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** paid.waits) };
}

/**
 * Tells whether a step runs as a local activity. One with an external effect never does: a crash would repeat the call.
 * Nor does one that not every worker can do.
 */
export function isQuick(step: Step): boolean {
  return step.timeout_ms <= QUICK_MS && step.effect !== 'external' && step.requires === undefined;
}

/**
 * Tells whether a step's tool runs as a local activity: what works on one file always, what looks through a workspace
 * where its author allows it no more than a quick step's time.
 */
export function isQuickTool(step: ToolStep): boolean {
  const { tool } = step;
  if (tool.kind !== 'builtin' || step.effect === 'external' || step.requires !== undefined) return false;
  return isBounded(tool.name) || (QUICK_TOOLS.includes(tool.name) && isQuick(step));
}

/** Options of a quick step: as `actingOptions`, for a local activity. */
export function quickOptions(step: Step, summary: string): LocalActivityOptions {
  return { ...QUICK, summary, startToCloseTimeout: step.timeout_ms + GRACE_MS };
}

/** Quick reads and writes of the store: idempotent, so a crash may repeat them. */
const QUICK: LocalActivityOptions = {
  startToCloseTimeout: '30s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '200ms', maximumInterval: '10s' },
};

export const acting = proxyActivities<Activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

export const quick = proxyLocalActivities<Activities>(QUICK);

/** What a call says of its run: whether what comes of it is on the disk before it returns, and its trace. */
export function termsOf({ settings }: { settings: RunSettings }): Pick<CallHead, 'synced' | 'trace'> {
  const { durability, trace } = settings;
  return {
    ...(durability === 'synced' ? { synced: true } : {}),
    ...(trace === undefined ? {} : { trace: trace.id }),
  };
}
