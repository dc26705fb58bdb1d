import type { Action, Verdict } from '../../plan/tools/action.js';
import { unattendedEnd } from '../../plan/outcomes/step-ends.js';
import type { Gate, GateEnd } from '../../plan/gates/gate.js';
import type { ToolPlace } from '../../activities/contract.js';
import type { ToolRequest } from '../../plan/agents/conversation.js';
import type { Permissions } from '../../plan/tools/permission.js';
import { askedBeyond } from '../../plan/tools/permission.js';
import { judgeCall } from '../../plan/gates/autonomy.js';
import type { Hash } from '../../plan/values/value.js';
import { quick } from '../activities.js';
import { addressOf, autonomyOf, policiesOf } from '../state/context.js';
import { workspaceOf } from '../state/own-workspace.js';
import { awaitDecision } from '../gates/gate-book.js';
import { aside } from './slot.js';
import type { ConversationState, OneCall } from './conversation-state.js';
import { callPath, makingOf, releaseSpare } from './conversation-state.js';

/** What becomes of a call that its agent wants to make; `hash` is what a person saw who allowed it. */
export type Permission = 'allowed' | Word;

/** What a person said. */
type Word = { hash: Hash } | { refusal: string };

/** Judges a call here, so that what was decided is in history; the activity judges it again. */
export async function permissionFor(one: OneCall, action: Action): Promise<Permission> {
  const {
    conversation: {
      slot: {
        top,
        scope: { context },
      },
      agent: { permissions },
    },
  } = one;
  if (permissions === undefined) return { refusal: 'Not allowed: the agent has no permissions.' };
  const judged = verdictOn(one, permissions, action);
  const verdict =
    judged.verdict === 'allow' && one.hooked !== undefined ? askedBeyond(permissions, 'A hook asks.') : judged;
  if (verdict.verdict === 'allow') return 'allowed';
  if (verdict.verdict === 'ask') return askPerson(one);
  top.denials += 1;
  if (permissions.denial !== undefined) return { refusal: `Not allowed: ${verdict.reason}` };
  // Nobody is there to ask in a run that decides by itself, and `--yes` is no word about what is denied.
  if (top.denials < permissions.escalate_after || context.settings.gates !== 'ask')
    return { refusal: `Not allowed: ${verdict.reason}` };
  const permission = await askPerson(one);
  top.denials = 0;
  return permission;
}

/** Tells whether a call may be made without anybody's word. */
export function isAllowed(conversation: ConversationState, request: ToolRequest): boolean {
  const { permissions } = conversation.agent;
  const { action } = request;
  return (
    permissions !== undefined &&
    action !== undefined &&
    verdictOn({ conversation, request }, permissions, action).verdict === 'allow'
  );
}

/** Tells whether the policy denies a call: `--yes` lifts that never. */
export function isDenied(one: OneCall): boolean {
  const {
    conversation: {
      agent: { permissions },
    },
    request: { action },
  } = one;
  return permissions !== undefined && action !== undefined && verdictOn(one, permissions, action).verdict === 'deny';
}

/** What the agent may do by the Plan, and what the activity said of one that was made: the Plan has its maker only. */
function verdictOn(
  { request: { denied }, conversation }: Pick<OneCall, 'request' | 'conversation'>,
  permissions: Permissions,
  action: Action,
): Verdict {
  const verdict = judgeCall(permissions, policiesOf(conversation.slot.scope.context), action);
  return verdict.verdict === 'deny' || denied === undefined ? verdict : { verdict: 'deny', reason: denied };
}

/**
 * Asks about a call that was allowed as something else, by the last version of Perdure say. Where nobody is there to
 * ask, it is not made.
 */
export async function permissionAgain(one: OneCall): Promise<Word> {
  if (one.conversation.slot.scope.context.settings.gates !== 'ask')
    return { refusal: 'Not allowed: what the call would do has changed since it was allowed.' };
  return askPerson(one, true);
}

/** Opens a gate that shows exactly what would be done, and waits there for a person. */
async function askPerson(one: OneCall, renewed = false): Promise<Word> {
  const {
    conversation: {
      slot: {
        scope: { context },
      },
    },
  } = one;
  const gate = await gateFor(one, renewed);
  if ('refusal' in gate) return gate;
  if (context.gates.remembered.has(gate.hash)) return { hash: gate.hash };
  const alone = unattendedEnd(gate, context.settings);
  if (alone !== null)
    return alone.status === 'success'
      ? { hash: gate.hash }
      : { refusal: `Not allowed: ${'failure' in alone ? alone.failure.message : 'nobody was asked'}.` };
  const { decision, by, comment } = await decided(one, gate);
  if (decision === 'approve') return { hash: gate.hash };
  return { refusal: `Not allowed by ${by.join(', ')}${comment ? `: ${comment}` : '.'}` };
}

/** The gate of a call, as it was shown before the run continued as new. */
async function gateFor(one: OneCall, renewed: boolean): Promise<Gate | { refusal: string }> {
  const {
    conversation: {
      state,
      asked,
      slot: { scope, step },
    },
    index,
  } = one;
  const { context } = scope;
  const shown = context.carriedGates.get(callPath(one.conversation, index));
  return (
    shown ??
    openGate(one, {
      tool: {
        head: state.head ?? '',
        call: index,
        workspace: workspaceOf(scope, step),
        ...(asked === null ? {} : { agent: asked.agent }),
        ...makingOf(one.conversation),
        ...autonomyOf(context),
        ...(one.hooked === undefined ? {} : { hooked: one.hooked }),
        ...(renewed ? { renewed } : {}),
      },
    })
  );
}

async function openGate(one: OneCall, about: { question: string }): Promise<Gate>;
async function openGate(one: OneCall, about: { tool: ToolPlace }): Promise<Gate | { refusal: string }>;
async function openGate(
  one: OneCall,
  about: { tool: ToolPlace } | { question: string },
): Promise<Gate | { refusal: string }> {
  const {
    conversation,
    conversation: {
      slot: {
        scope,
        scope: { context },
        step,
        top,
      },
    },
    index,
  } = one;
  const { root, nested, gates, settings } = context;
  const path = callPath(conversation, index);
  gates.decided.delete(path);
  return quick.renderGate({
    root,
    nested,
    step: addressOf(scope, step),
    path,
    try: top.tried,
    environment: {},
    since: new Date().toISOString(),
    submitter: settings.submitted_by,
    ...about,
  });
}

function decided(
  {
    conversation,
    conversation: {
      slot,
      slot: {
        scope: { context },
      },
    },
    lane,
  }: OneCall,
  gate: Gate,
): Promise<GateEnd> {
  releaseSpare(conversation, lane);
  return aside(slot, () => awaitDecision(context.gates, gate));
}

/**
 * What to do about a call whose external effect may have happened (decision 13): null to make it again, else what the
 * model is told.
 */
export async function afterDoubt(one: OneCall): Promise<string | null> {
  const {
    conversation: {
      slot: {
        scope: { context },
      },
    },
    index,
    request: { tool },
  } = one;
  if (context.settings.gates !== 'ask')
    return (
      `The outcome of this call is unknown: \`${tool}\` had begun when its worker was lost, its effect is ` +
      `external, and nobody was to be asked. It was not repeated.`
    );
  const question =
    `The worker was lost while \`${tool}\` ran. Its effect is external and may have happened. Do it again, count ` +
    `it as done, or stop?`;
  const gate = context.carriedGates.get(callPath(one.conversation, index)) ?? (await openGate(one, { question }));
  const { decision, by, comment, output } = await decided(one, gate);
  const chosen = output !== null && 'value' in output ? output.value : decision === 'approve' ? 'retry' : 'stop';
  if (chosen === 'retry') return null;
  const says = `${by.join(', ')}${comment ? `: ${comment}` : ''}`;
  return chosen === 'done'
    ? `The worker was lost while this ran; it counts as done, by ${says}.`
    : `The worker was lost while this ran, and it was not repeated, by ${says}.`;
}
