import type { Client } from '@temporalio/client';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { issueToken } from '../../activities/gates/approval-token.js';
import { noteRefused } from '../../activities/gates/refused.js';
import type { Decision, DecisionReceipt } from '../../plan/gates/gate.js';
import { DECIDE } from '../../plan/names.js';
import { safeName } from '../../plan/text/safe-name.js';
import type { ApprovalKey } from '../../store/records/approval-key.js';
import type { Store } from '../../store/store.js';
import type { CliError } from '../exit-codes.js';
import { refusal } from '../exit-codes.js';
import { grpcTrouble } from '../grpc.js';
import type { OpenGate } from '../observe/view/view.js';
import { answerCommands } from '../render/gate-words.js';
import { sendUpdate } from './send-update.js';

/** What a person says to a gate that was shown to them. */
export type Says = Omit<Decision, 'gate' | 'hash' | 'since'>;

/** Where tokens are signed, and refusals kept. */
export type DecidingStore = ApprovalKey & Pick<Store, 'openLog'>;

/** Sends a decision to the run that owns the gate and gives its answer. Throws a refusal with the reason. */
export async function decide(
  client: Client,
  open: OpenGate,
  says: Says,
  store: DecidingStore,
): Promise<DecisionReceipt> {
  const { owner } = open;
  try {
    const decision = await signedDecision(client, open, says, store);
    return await sendUpdate<DecisionReceipt, Decision>(client, { run: owner, name: DECIDE, given: decision });
  } catch (error) {
    // Whoever was faster has decided the gate, and its run has ended since.
    if (grpcTrouble(error) === 'not-found')
      throw await keptRefusal(
        refusal(`The gate \`${open.address}\` is already decided: its run has ended.`),
        { gate: open.gate.path, run: owner, says },
        store,
      );
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    const message = error.cause?.message ?? error.message;
    const hint = /takes one of|is a question|is approved or rejected/.test(message)
      ? `Answer it with:\n  ${answerCommands(open).join('\n  ')}`
      : null;
    const refused = refusal(message, hint);
    // Of one by a grant the run itself keeps it.
    throw says.grant === undefined
      ? await keptRefusal(refused, { gate: open.gate.path, run: owner, says }, store)
      : refused;
  }
}

/**
 * The same refusal, once it is kept where no run does that: of a decision that came by a grant or from a page, in the
 * log of its tree.
 */
export async function keptRefusal(
  error: CliError,
  { run, gate, says }: { run: string; gate: string; says: Pick<Says, 'by' | 'grant' | 'via'> },
  store: Pick<Store, 'openLog'>,
): Promise<CliError> {
  // Where the store is elsewhere, or takes nothing now, whoever sent it is told all the same.
  if (says.grant !== undefined || says.via === 'page')
    await noteRefused(store, run, { gate, by: says.by, reason: error.message }).catch(() => undefined);
  return error;
}

/**
 * A decision as the run takes it: with the store's token, where the gate wants one. Throws a `StoreFailure` where the
 * store is elsewhere.
 */
export async function signedDecision(
  client: Client,
  { gate, owner, needsToken }: OpenGate,
  says: Says,
  key: ApprovalKey,
): Promise<Decision> {
  const decision: Decision = { gate: gate.path, hash: gate.hash, since: gate.since, ...says };
  if (needsToken !== true || says.grant !== undefined) return decision;
  const { raw } = await client.workflow.getHandle(owner).describe();
  const first = raw.workflowExecutionInfo?.firstRunId ?? '';
  return {
    ...decision,
    token: await issueToken({ run: owner, first, gate: gate.path, since: gate.since }, decision, key),
  };
}

/** What came of a decision, for people: `Approved by ana.` */
export function receiptText({ decision, by, missing, hash }: DecisionReceipt): string {
  const word = {
    approve: hash === undefined ? 'Approved' : 'Edited and approved',
    reject: 'Rejected',
    answer: 'Answered',
  }[decision];
  return `${word} by ${safeName(by)}${missing === undefined ? '' : `; ${missing} more must agree`}.`;
}
