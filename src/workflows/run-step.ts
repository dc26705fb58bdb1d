import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { StepOutput } from '../activities/contract.js';
import { countedOnce } from '../plan/ends.js';
import type { Failure } from '../plan/failure.js';
import type { Gate } from '../plan/gate.js';
import { segmentOf } from '../plan/plan.js';
import { nextTryDelay } from '../plan/policy.js';
import { NO_SPEND, addSpend } from '../plan/result.js';
import type { StepEnd } from '../plan/schedule.js';
import type { Step } from '../plan/step.js';
import type { RunContext } from './context.js';
import { failureFrom, spendIn } from './failures.js';
import { askAfterLoss } from './lost.js';
import { runAgent } from './steps/agent.js';
import { runApproval } from './steps/approval.js';
import { runCommand } from './steps/command.js';
import { runNested } from './steps/workflow.js';
import { conditionHolds } from './values.js';

/** What a step is told from outside of it. */
export interface StepScope {
  /** Why the run or another step cancels this one. */
  reason: () => string;
  /** The gate as it was shown before the run continued as new. */
  carried: Gate | null;
}

/**
 * Runs one step to its end, with all its tries. Never throws for what a step can do; a bug of ours is thrown.
 * The SDK takes a stack trace of every promise of a workflow, so what is not needed is not awaited here.
 */
export async function runStep(context: RunContext, step: Step, scope: StepScope): Promise<StepEnd> {
  let tries = 0;
  let spent = NO_SPEND;
  const tryAll = async (): Promise<StepEnd> => {
    if (step.when !== null && !(await conditionHolds(context, step, step.when))) return { status: 'skipped', reason: '`when` is false' };
    for (;;) {
      tries += 1;
      const end = await tryStep(context, step, tries, scope.carried);
      spent = addSpend(spent, end.spend ?? NO_SPEND);
      if (isUncertain(step, end)) {
        const stop = await askAfterLoss(context, step, tries);
        if (stop === null) continue;
        return stop;
      }
      const delay = 'failure' in end ? nextTryDelay(step, end.failure, tries) : null;
      if (delay === null) return end;
      await sleep(delay, { summary: `next try of ${segmentOf(step)}` });
    }
  };
  let end: StepEnd;
  try {
    end = await withinLimit({ ms: step.deadline_ms ?? 0, summary: `deadline of ${segmentOf(step)}`, expired: () => deadlineEnd(step) }, tryAll);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    end = failed({ type: 'cancelled', message: `cancelled: ${scope.reason()}` });
  }
  return { attempts: tries, ...end, spend: countedOnce(step, tries, spent) };
}

/** An external effect whose worker was lost may have happened: it is never repeated silently (decision 13). */
function isUncertain(step: Step, end: StepEnd): boolean {
  return step.effect === 'external' && 'failure' in end && end.failure.type === 'worker-lost';
}

function failed(failure: Failure): StepEnd {
  return { status: failure.type === 'timeout' ? 'timeout' : 'error', failure };
}

/** A gate that nobody decided in time has expired; anything else has timed out. */
function deadlineEnd(step: Step): StepEnd {
  const limit = `its deadline of ${(step.deadline_ms ?? 0) / 1000} s`;
  return step.kind === 'approval'
    ? failed({ type: 'expired', message: `Nobody decided within ${limit}.` })
    : failed({ type: 'timeout', message: `The step did not end within ${limit}.` });
}

interface TimeLimit {
  /** 0 is no limit. */
  ms: number;
  summary: string;
  expired: () => StepEnd;
}

function withinLimit(limit: TimeLimit, run: () => Promise<StepEnd>): Promise<StepEnd> {
  return limit.ms === 0 ? run() : limited(limit, run);
}

/** Cancels what runs when its time is over; everything it did is cleaned up before this returns (I9). */
async function limited({ ms, summary, expired }: TimeLimit, run: () => Promise<StepEnd>): Promise<StepEnd> {
  const work = new CancellationScope();
  const timer = new CancellationScope();
  let isOver = false;
  void timer.run(() => sleep(ms, { summary })).then(
    () => { isOver = true; work.cancel(); },
    () => undefined, // the work ended first
  );
  try {
    const end = await work.run(run);
    return isOver && 'failure' in end && end.failure.type === 'cancelled' ? expired() : end;
  } catch (error) {
    if (isOver && isCancellation(error)) return expired();
    throw error;
  } finally {
    timer.cancel();
  }
}

/** One try. Activities keep the limit of a try themselves; a nested run has nobody else who would. */
async function tryStep(context: RunContext, step: Step, tried: number, carried: Gate | null): Promise<StepEnd> {
  try {
    const limit = step.kind === 'workflow' ? step.timeout_ms : 0;
    const expired = (): StepEnd => failed({ type: 'timeout', message: `The nested run did not end within ${limit / 1000} s.` });
    return await withinLimit({ ms: limit, summary: `limit of ${segmentOf(step)}`, expired }, () => dispatch(context, step, tried, carried));
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { ...failed(failureFrom(error)), spend: spendIn(error) };
  }
}

/** One line a kind. */
function dispatch(context: RunContext, step: Step, tried: number, carried: Gate | null): Promise<StepEnd> {
  switch (step.kind) {
    case 'agent':
      return runAgent(context, step, tried).then(success);
    case 'command':
      return runCommand(context, step, tried).then(success);
    case 'workflow':
      return runNested(context, step, tried);
    case 'approval':
      return runApproval(context, step, carried);
  }
}

function success({ output, spend, note, reused }: StepOutput): StepEnd {
  return { status: 'success', output, spend, note, reused };
}
