import { ApplicationFailure } from '@temporalio/workflow';
import type { AskedBy, ToolCall, ToolPlace } from '../../activities/contract.js';
import type { Conversation, ToolRequest, TurnAnswer } from '../../plan/agents/conversation.js';
import { turnSegment } from '../../plan/agents/conversation.js';
import type { FailureType } from '../../plan/failure.js';
import { joinPath } from '../../plan/plan.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import type { Agent } from '../../plan/step.js';
import { modelKeyOf } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import { termsOf } from '../activities.js';
import type { Scope } from '../state/context.js';
import { addressOf, triesBefore } from '../state/context.js';
import { workspaceOf } from '../state/own-workspace.js';
import type { Reservation } from '../budget/reserve.js';
import { leaveSlot } from '../budget/reserve.js';
import type { Slot } from './slot.js';
import { timeLeft } from './slot.js';

/** One conversation: a step's own, or that of an agent that another one calls. */
export interface ConversationState {
  slot: Slot;
  state: Conversation;
  /** Of the step, or of the call. */
  path: string;
  agent: Agent;
  /** Who asks; null for the step itself. */
  asked: AskedBy | null;
  /** 1 for the step itself. */
  depth: number;
  /** Runs a conversation to its answer; here, because a call may need one. */
  converse: (conversation: ConversationState) => Promise<TurnAnswer>;
}

/** One of the calls of a turn, and what it has taken to run beside others. */
export interface OneCall {
  conversation: ConversationState;
  index: number;
  request: ToolRequest;
  lane: Lane;
  /** Short hash of why a hook wants a person to be asked. */
  hooked?: string;
}

/** Calls run in lanes: the first in the conversation's own slot, others each in one that was free. */
export interface Lane {
  spare: Reservation | null;
}

/** The state of a conversation before its first turn; `tried` counts the tries of its step so far. */
export function freshConversation(tried: number): Conversation {
  return {
    head: null,
    turns: 0,
    bytes: 0,
    calls: [],
    ends: [],
    allowed: {},
    denials: 0,
    used_ms: 0,
    spend: NO_SPEND,
    tried,
    ...(tried === 1 ? {} : { began: tried }),
  };
}

/**
 * The try under which the calls of a conversation are kept: another try goes on with the same calls, so their keys
 * stay. One that begins anew makes others.
 */
export function callTry({ scope, step, top: { began = 1 } }: Slot): number {
  return triesBefore(scope, step) + began;
}

export function agentOf({ context }: Scope, hash: Hash): Agent {
  const agent = context.plan.agents[hash];
  if (agent === undefined) throw new Error(`The plan has no agent ${hash}`);
  return agent;
}

/** What ends a conversation beside its activities' failures. */
export function endedBy(type: FailureType, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, nonRetryable: true, message });
}

/** The time that one activity of a conversation may take. Throws where the try's time is over. */
export function limitFor(slot: Slot): number {
  const left = timeLeft(slot);
  if (left <= 0)
    throw endedBy('timeout', `The step did not end within its time limit of ${slot.step.timeout_ms / 1000} s.`);
  return left;
}

/** The address of a call: of its activity, of its gate, and of the conversation of an agent that is called. */
export function callPath({ path, state }: ConversationState, index: number): string {
  return joinPath(path, turnSegment(state.turns, index));
}

/** What the activities of a call of a tool are told of it. */
export function callOf(conversation: ConversationState, index: number): ToolCall {
  const {
    slot,
    slot: { scope, step },
    state,
    path,
    asked,
  } = conversation;
  const { root, nested } = scope.context;
  return {
    root,
    nested,
    step: addressOf(scope, step),
    path,
    try: callTry(slot),
    environment: {},
    turn: state.turns,
    call: index,
    head: state.head ?? '',
    workspace: workspaceOf(scope, step),
    limit_ms: limitFor(slot),
    ...(asked === null ? {} : { agent: asked.agent }),
    ...makingOf(conversation),
    ...termsOf(scope.context),
  };
}

/** What activities are told for an agent that may make others, and of the tools that it has made. */
export function makingOf(conversation: ConversationState): Pick<ToolPlace, 'made' | 'makes'> {
  const {
    state: { made },
    agent: { uses = [] },
    slot: {
      scope: { context },
    },
  } = conversation;
  const makes = uses.some(({ kind }) => kind === 'maker')
    ? { makes: { models: Object.keys(context.settings.models), model: modelName(conversation) } }
    : {};
  return { ...(made === undefined ? {} : { made }), ...makes };
}

/** The name under which the run's settings hold the model that an agent speaks with. */
export function modelName({
  slot: { step },
  agent,
  asked,
}: Pick<ConversationState, 'slot' | 'agent' | 'asked'>): string {
  return modelKeyOf(asked === null ? step : { model: null }, agent);
}

/** Gives back the slot of a lane that has ended, or that waits for a person. */
export function releaseSpare(
  {
    slot: {
      scope: { context },
    },
  }: ConversationState,
  lane: Lane,
): void {
  if (lane.spare === null) return;
  leaveSlot(context, lane.spare);
  context.runningSteps.activities -= 1;
  lane.spare = null;
}
