import { ApplicationFailure } from '@temporalio/workflow';
import type { AskedBy, MakingModels } from '../../activities/contract.js';
import type { Conversation, ToolRequest, TurnAnswer } from '../../plan/agents/conversation.js';
import { turnSegment } from '../../plan/agents/conversation.js';
import type { FailureType } from '../../plan/failure.js';
import { joinPath } from '../../plan/plan.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import type { Agent } from '../../plan/step.js';
import { modelKeyOf } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Scope } from '../state/context.js';
import type { Turn } from '../budget/reserve.js';
import { leaveSlot } from '../budget/reserve.js';
import type { Seat } from './seat.js';
import { timeLeft } from './seat.js';

/** One conversation: a step's own, or that of an agent that another one calls. */
export interface Talk {
  seat: Seat;
  state: Conversation;
  /** Of the step, or of the call. */
  path: string;
  agent: Agent;
  /** Who asks; null for the step itself. */
  asked: AskedBy | null;
  /** 1 for the step itself. */
  depth: number;
  /** Runs a conversation to its answer; here, because a call may need one. */
  converse: (talk: Talk) => Promise<TurnAnswer>;
}

/** One of the calls of a turn, and what it has taken to run beside others. */
export interface OneCall {
  talk: Talk;
  index: number;
  request: ToolRequest;
  lane: Lane;
}

/** Calls run in lanes: the first in the conversation's own slot, others each in one that was free. */
export interface Lane {
  spare: Turn | null;
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
  };
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
export function limitFor(seat: Seat): number {
  const left = timeLeft(seat);
  if (left <= 0)
    throw endedBy('timeout', `The step did not end within its time limit of ${seat.step.timeout_ms / 1000} s.`);
  return left;
}

/** The address of a call: of its activity, of its gate, and of the conversation of an agent that is called. */
export function callPath({ path, state }: Talk, index: number): string {
  return joinPath(path, turnSegment(state.turns, index));
}

/** What activities are told for an agent that may make others, and of the tools that it has made. */
export function makingOf(talk: Talk): { made?: string; makes?: MakingModels } {
  const {
    state: { made },
    agent: { uses = [] },
    seat: {
      scope: { context },
    },
  } = talk;
  const makes = uses.some(({ kind }) => kind === 'maker')
    ? { makes: { models: Object.keys(context.settings.models), model: modelName(talk) } }
    : {};
  return { ...(made === undefined ? {} : { made }), ...makes };
}

/** The name under which the run's settings hold the model that an agent speaks with. */
export function modelName({ seat: { step }, agent, asked }: Pick<Talk, 'seat' | 'agent' | 'asked'>): string {
  return modelKeyOf(asked === null ? step : { model: null }, agent);
}

/** Gives back the slot of a lane that has ended, or that waits for a person. */
export function releaseSpare(
  {
    seat: {
      scope: { context },
    },
  }: Talk,
  lane: Lane,
): void {
  if (lane.spare === null) return;
  leaveSlot(context, lane.spare);
  context.flight.activities -= 1;
  lane.spare = null;
}
