import { isCancellation } from '@temporalio/workflow';
import type { Amounts } from '../../plan/budget/amounts.js';
import { addPaid } from '../../plan/budget/paid-before.js';
import type { Conversation, ToolRequest, TurnAnswer } from '../../plan/agents/conversation.js';
import { failedWorkflows } from '../../plan/outcomes/course.js';
import { requestBytes } from '../../plan/references/estimate.js';
import type { Failure } from '../../plan/failure.js';
import type { Spend } from '../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import { longValue } from '../../plan/packing/short-value.js';
import { noteOf } from '../../plan/calls/step-output.js';
import type { AgentStep } from '../../plan/step.js';
import { templatesOf } from '../../plan/references/step-references.js';
import type { Scope } from '../state/context.js';
import { pathOf, triesBefore } from '../state/context.js';
import { failureFrom, paidIn, quotaIn, shortIn } from '../failures.js';
import type { AgentTry } from '../steps/agent.js';
import { startReady } from '../running/step-runner.js';
import { restrictionsOf } from '../state/account.js';
import type { Reservation } from '../budget/reserve.js';
import { meetQuota } from '../budget/quota.js';
import { takeQuestion } from '../budget/reserve.js';
import { settleReservation } from '../budget/settle-reservation.js';
import type { PaidCall, Told } from '../budget/untold-spend.js';
import { toldBy, untoldSpend } from '../budget/untold-spend.js';
import { aside, discount, parkIfDraining, takeConversationSlot } from './slot.js';
import { askTurn } from './ask-turn.js';
import type { ConversationState } from './conversation-state.js';
import { agentOf, endedBy, freshConversation, modelName } from './conversation-state.js';
import { remarksAgain, remarksTold, untold, untoldBytes } from '../state/remarks.js';
import { callTools } from './tool-calls.js';
import { environmentOf } from '../state/values.js';

/** So many turns in a row may be spent on calls that cannot be made. */
const MOST_WASTED = 10;
/** What stands around the schema of one tool in a request, about. */
const TOOL_BYTES = 1_024;

/**
 * An agent that uses tools: asks its model, makes the calls that it asks for, and asks again, until it answers. Each
 * turn adds the same few bytes to history (I7). Another try goes on where the one before failed: nothing is done twice.
 * Only where that attempt is over (`isOver`) it begins anew, and is told of it.
 */
export async function runConversation(
  scope: Scope,
  step: AgentStep,
  turn: Reservation,
  { tried, last }: AgentTry,
): Promise<StepEnd> {
  const { context } = scope;
  const path = pathOf(scope, step);
  const own = tried - triesBefore(scope, step);
  const state = stateOf(context.conversations.get(path), own, last);
  context.conversations.set(path, state);
  const slot = takeConversationSlot(scope, step, turn, state);
  try {
    const { output, reused = false } = await converse({
      slot,
      state,
      path,
      agent: agentOf(scope, step.agent),
      asked: null,
      depth: 1,
      converse,
    });
    const note = noteOf(state.spend);
    const partial = partialIn(state);
    return {
      status: 'success',
      output: output === undefined ? null : longValue(output),
      spend: { ...state.spend, steps: 1 },
      note:
        note === null
          ? null
          : [note, turnsText(state.turns), ...lateIn(state), ...(partial === null ? [] : ['partial'])].join(', '),
      reused,
      ...(partial === null ? {} : { partial }),
    };
  } catch (error) {
    if (isCancellation(error)) throw error;
    const failure = failureFrom(error);
    return { status: failure.type === 'timeout' ? 'timeout' : 'error', failure, spend: state.spend };
  }
}

/** The conversation of a try: the same while the try lasts; else what is left of the one before. */
function stateOf(known: Conversation | undefined, own: number, last: Failure | null): Conversation {
  if (known === undefined) return freshConversation(own);
  if (known.tried === own) return known;
  if (last === null) {
    delete known.paid;
    return Object.assign(known, { tried: own, used_ms: 0, spend: NO_SPEND });
  }
  const { head, below } = known;
  return {
    ...freshConversation(own),
    before: { failure: last, ...(head === null ? {} : { head }) },
    ...(below === undefined ? {} : { below }),
    ...remarksAgain(known),
  };
}

function partialIn({ below }: Conversation): string | null {
  return below === undefined ? null : failedWorkflows(below);
}

/** What a person said that came after the last turn. */
function lateIn(state: Conversation): string[] {
  const late = untold(state);
  return late === 0 ? [] : [late === 1 ? 'a remark came too late' : `${late} remarks came too late`];
}

function turnsText(turns: number): string {
  return turns === 1 ? '1 turn' : `${turns} turns`;
}

/**
 * Turn after turn, until there is an answer. What is under way is in `state` at every moment: it is carried on from
 * there.
 */
async function converse(conversation: ConversationState): Promise<TurnAnswer> {
  const { slot, state, agent } = conversation;
  for (;;) {
    await callTools(conversation);
    await parkIfDraining(slot);
    const answer = await ask(conversation);
    const { head, bytes, calls = [] } = answer;
    remarksTold(state);
    // Whom somebody speaks to while it answers takes another turn.
    const goesOn = untold(state) > 0 && answer.reused !== true && state.turns + 1 < agent.max_turns;
    Object.assign(state, {
      head,
      bytes: answer.output === undefined ? bytes : Math.max(bytes, state.bytes),
      calls,
      ends: calls.map(() => null),
      allowed: {},
      turns: state.turns + 1,
      ...wastedNow(state, calls),
    } satisfies Partial<Conversation>);
    if (answer.output !== undefined && !goesOn) return answer;
    const { wasted = 0 } = state;
    const why =
      wasted === 0 ? '' : ` None of the calls of its last ${turnsText(wasted)} could be made: its log tells why.`;
    if (state.turns >= agent.max_turns)
      throw endedBy(
        'turns-exceeded',
        `\`${agent.name}\` had ${turnsText(state.turns)}, its \`max_turns\`, and has not answered yet.${why}`,
      );
    if (wasted >= MOST_WASTED) throw endedBy('answer-invalid', `\`${agent.name}\` does not come to an answer.${why}`);
    startReady(slot.scope.context);
  }
}

/** Calls that say nothing that can be done are the model's to mend, a few times. */
function wastedNow({ wasted = 0 }: Conversation, calls: ToolRequest[]): Pick<Conversation, 'wasted'> {
  const isWasted = calls.length > 0 && calls.every(({ action }) => action === undefined);
  return isWasted ? { wasted: wasted + 1 } : wasted === 0 ? {} : { wasted: 0 };
}

/** Asks the model as soon as there is money for it: once more with more reserved where that did not do. */
async function ask(conversation: ConversationState): Promise<TurnAnswer> {
  const {
    slot,
    slot: {
      scope: { context },
    },
  } = conversation;
  for (let short: Amounts | null = null; ;) {
    const asked = takeQuestion(context, {
      name: modelName(conversation),
      bytes: bytesOf(conversation),
      params: conversation.agent.params,
      short,
    });
    const question = asked instanceof Promise ? await aside(slot, () => asked) : asked;
    if (question === null)
      throw endedBy(
        'limit-reached',
        restrictionsOf(context.account).stop?.message ?? 'The run starts nothing any more.',
      );
    if (context.runningSteps.draining) {
      giveBack(conversation, question);
      await parkIfDraining(slot);
      continue;
    }
    try {
      const answer = await askTurn(conversation, question);
      if (answer.waited !== undefined) discount(slot, answer.waited);
      if (answer.opened === true && question.model !== null) conversation.state.opened = question.model;
      const spend: Spend = { usd: answer.usd, tokens: answer.tokens, steps: 0 };
      settleReservation(context, question, { status: 'success', output: null, spend });
      slot.top.spend = addSpend(slot.top.spend, spend);
      delete conversation.state.paid;
      return answer;
    } catch (error) {
      const told = untoldSpend(context, error, callOfTurn(conversation)) ?? toldBy(error);
      short = settleFailed(conversation, question, error, told instanceof Promise ? await told : told);
      if (short === null) throw error;
    }
  }
}

function giveBack(
  {
    slot: {
      scope: { context },
    },
  }: ConversationState,
  question: Reservation,
): void {
  settleReservation(context, question, { status: 'success', output: null, spend: NO_SPEND });
}

/** The turn that is asked, as the journal knows it. */
function callOfTurn({ slot: { scope, step, top }, state, path }: ConversationState): PaidCall {
  const tried = triesBefore(scope, step) + top.tried;
  return { path, part: [tried, 'turn', state.turns + 1], paid: state.paid ?? null };
}

/** Books a question that failed; what it needs, where too little was reserved. */
function settleFailed(
  { slot, state }: ConversationState,
  question: Reservation,
  error: unknown,
  { spend, isTold }: Told,
): Amounts | null {
  const { context } = slot.scope;
  const paid = paidIn(error);
  if (paid !== null) state.paid = addPaid(state.paid ?? null, paid);
  const failure = failureFrom(error);
  const end = { status: 'error', failure, spend, ...(paid === null ? {} : { paid }) } as const;
  settleReservation(context, question, end, isTold);
  slot.top.spend = addSpend(slot.top.spend, { ...spend, steps: 0 });
  const quota = quotaIn(error);
  if (quota !== null) meetQuota(context.account, quota);
  return shortIn(error, question.need);
}

/** What the next request has at least; the first one is as long as a single question, and tells of tools. */
function bytesOf({ slot: { scope, step }, state, agent, asked }: ConversationState): number {
  const said = untoldBytes(state);
  if (state.head !== null) return state.bytes + said;
  const environment = asked === null ? environmentOf(scope, templatesOf(step)) : {};
  return said + requestBytes(step, agent.prompt, environment) + TOOL_BYTES * (agent.uses ?? []).length;
}
