import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { Decision, DecisionReceipt, Gate } from '../../../src/plan/gates/gate.js';
import { MEMO } from '../../../src/plan/names.js';
import type { ApprovalStep, AskStep } from '../../../src/plan/step.js';
import { until } from '../../faults/project.js';
import { stepBase } from '../../plan/helpers/build-plan.js';
import type { Harness } from './harness.js';
import { sendDecision } from './updating.js';

export function approval(index: number, fields: Partial<ApprovalStep> = {}): ApprovalStep {
  return {
    ...stepBase(index),
    kind: 'approval',
    message: { kind: 'literal', value: 'Save this?' },
    content: null,
    fallback: 'abort',
    ...fields,
  };
}

export function ask(index: number, fields: Partial<AskStep> = {}): AskStep {
  return {
    ...stepBase(index),
    kind: 'ask',
    question: { kind: 'literal', value: 'Which one?' },
    schema: null,
    choices: null,
    ...fields,
  };
}

/** How people meet the gates of runs in a harness. */
export interface People {
  /** The gates a run waits at, from its memo: what `list --waiting` reads. */
  open(run: string, count?: number): Promise<Gate[]>;
  /** The one open gate, once it is as asked for. */
  gate(run: string, is?: (gate: Gate) => boolean): Promise<Gate>;
  /** A decision on what the one open gate shows. */
  say(run: string, by: string, what?: Partial<Decision>): Promise<DecisionReceipt>;
  decide(run: string, decision: Decision): Promise<DecisionReceipt>;
}

export function createPeople(harness: Harness): People {
  const listed = async (run: string): Promise<Gate[]> => {
    const { memo } = await harness.client.workflow.getHandle(run).describe();
    return (memo?.[MEMO.waiting] ?? []) as Gate[]; // written by the interpreter
  };
  const decide = (run: string, decision: Decision): Promise<DecisionReceipt> =>
    sendDecision(harness.client.workflow.getHandle(run), decision);
  const gate = (run: string, is: (gate: Gate) => boolean = () => true): Promise<Gate> =>
    until(async () => {
      const [only] = await listed(run);
      return only !== undefined && is(only) ? only : null;
    });
  return {
    decide,
    gate,
    open: (run, count = 1) =>
      until(async () => {
        const gates = await listed(run);
        return gates.length === count ? gates : null;
      }),
    say: async (run, by, what = {}) => {
      const { path, hash } = await gate(run);
      return decide(run, { gate: path, decision: 'approve', hash, by, ...what });
    },
  };
}

/** Makes a run continue as new: a history of 3 MiB does, and strangers' signals fill it. */
export async function continueAsNew({ client }: Harness, run: string): Promise<void> {
  const handle = client.workflow.getHandle(run);
  const before = (await handle.describe()).runId;
  for (let sent = 0; sent < 3; sent += 1) await handle.signal('stranger', 'x'.repeat(1_200_000));
  // The size that a workflow task is told may lack what came while the one before ran: the next task is told.
  await until(async () => {
    if ((await handle.describe()).runId !== before) return true;
    await handle.signal('stranger', '');
    return false;
  });
}

/** Why a run refused an update. */
export async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowUpdateFailedError)) throw new Error('The decision was not refused', { cause: error });
  return error.cause?.message ?? '';
}
