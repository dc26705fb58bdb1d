import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { StepOutput } from '../activities/contract.js';
import type { Failure } from '../plan/failure.js';
import type { Gate } from '../plan/gate.js';
import { nextTryDelay } from '../plan/policy.js';
import type { StepEnd } from '../plan/schedule.js';
import type { Step } from '../plan/step.js';
import type { RunContext } from './context.js';
import { failureFrom } from './failures.js';
import { runAgent } from './steps/agent.js';
import { runApproval } from './steps/approval.js';
import { runCommand } from './steps/command.js';
import { runNested } from './steps/workflow.js';
import { conditionHolds } from './values.js';

/** Why the interpreter cancels a step: the run was cancelled, another step stopped it, or its deadline passed. */
export interface StepScope {
  reason: () => string;
  /** The gate as it was shown before the run continued as new. */
  carried: Gate | null;
}

/** Runs one step to its end, with all its tries. Never throws for what a step can do; a bug of ours is thrown. */
export async function runStep(context: RunContext, step: Step, scope: StepScope): Promise<StepEnd> {
  let tries = 0;
  let expired = false;
  const attempt = async (): Promise<StepEnd> => {
    if (!(await conditionHolds(context, step))) return { status: 'skipped', reason: '`when` is false' };
    for (;;) {
      tries += 1;
      const end = await tryStep(context, step, tries, scope.carried);
      const delay = 'failure' in end ? nextTryDelay(step, end.failure, tries) : null;
      if (delay === null) return end;
      await sleep(delay, { summary: `next try of ${step.id ?? step.index}` });
    }
  };
  try {
    const end = await withinDeadline(step, attempt, () => { expired = true; });
    return { attempts: tries, ...end };
  } catch (error) {
    if (!isCancellation(error)) throw error;
    const limit = `The step did not end within its deadline of ${step.deadline_ms ?? 0} ms.`;
    const failure: Failure = expired ? { type: 'timeout', message: limit } : { type: 'cancelled', message: `cancelled: ${scope.reason()}` };
    return { status: expired ? 'timeout' : 'error', failure, attempts: tries };
  }
}

/** Cancels what the step does when its deadline passes; everything it did is cleaned up before this returns (I9). */
async function withinDeadline(step: Step, run: () => Promise<StepEnd>, expire: () => void): Promise<StepEnd> {
  if (step.deadline_ms === null) return run();
  const scope = new CancellationScope();
  const timer = new CancellationScope();
  const { deadline_ms } = step;
  void timer.run(() => sleep(deadline_ms, { summary: `deadline of ${step.id ?? step.index}` })).then(
    () => { expire(); scope.cancel(); },
    () => undefined, // the step ended first
  );
  try {
    return await scope.run(run);
  } finally {
    timer.cancel();
  }
}

async function tryStep(context: RunContext, step: Step, tried: number, carried: Gate | null): Promise<StepEnd> {
  try {
    return await dispatch(context, step, tried, carried);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const failure = failureFrom(error);
    return { status: failure.type === 'timeout' ? 'timeout' : 'error', failure };
  }
}

/** One line a kind. */
async function dispatch(context: RunContext, step: Step, tried: number, carried: Gate | null): Promise<StepEnd> {
  switch (step.kind) {
    case 'agent':
      return success(await runAgent(context, step, tried));
    case 'command':
      return success(await runCommand(context, step, tried));
    case 'workflow':
      return runNested(context, step, tried);
    case 'approval':
      return runApproval(context, step, carried);
  }
}

function success({ output, spend, note, reused }: StepOutput): StepEnd {
  return { status: 'success', output, spend, note, reused };
}
