import type { WorkflowHandle } from '@temporalio/client';
import { sendUpdate } from '../../../src/cli/follow/send-update.js';
import type { Decision, DecisionReceipt } from '../../../src/plan/gates/gate.js';
import { DECIDE, STEER } from '../../../src/plan/names.js';
import type { Steer, SteerReceipt } from '../../../src/plan/budget/steering.js';

type AnyRun = Pick<WorkflowHandle, 'client' | 'workflowId'>;

/** Answers a gate, as the CLI does: an update that a failing workflow task took along is sent again. */
export function sendDecision({ client, workflowId }: AnyRun, decision: Decision): Promise<DecisionReceipt> {
  return sendUpdate({ workflow: client }, { run: workflowId, name: DECIDE, given: decision });
}

/** Steers a run, as the CLI does. */
export function sendSteer({ client, workflowId }: AnyRun, steer: Steer): Promise<SteerReceipt> {
  return sendUpdate({ workflow: client }, { run: workflowId, name: STEER, given: steer });
}
