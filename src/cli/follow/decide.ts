import type { Client } from '@temporalio/client';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { Decision, DecisionReceipt } from '../../plan/gate.js';
import { DECIDE } from '../../plan/names.js';
import type { OpenGate } from '../observe/view.js';
import { refusal } from '../exit-codes.js';

/** Sends a decision to the run that owns the gate and gives its answer. Throws a refusal with the reason. */
export async function decide(client: Client, { gate, owner }: OpenGate, says: Pick<Decision, 'decision' | 'by' | 'comment'>): Promise<DecisionReceipt> {
  const decision: Decision = { gate: gate.path, hash: gate.hash, ...says };
  try {
    return await client.workflow.getHandle(owner).executeUpdate<DecisionReceipt, [Decision]>(DECIDE, { args: [decision] });
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw refusal(error.cause?.message ?? error.message);
  }
}
