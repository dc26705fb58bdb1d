import { workflowInfo } from '@temporalio/workflow';
import type { TurnCall } from '../../activities/contract.js';
import type { Conversation, TurnAnswer } from '../../plan/agents/conversation.js';
import { turnSegment } from '../../plan/agents/conversation.js';
import { canonicalJson } from '../../plan/values/json.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import { shortCall } from '../../plan/calls/short-call.js';
import { templatesOf } from '../../plan/references/step-references.js';
import { GRACE_MS, acting, actingOptions, quick, quickOptions, termsOf } from '../activities.js';
import { readAtHome, travels } from '../running/at-home.js';
import { orGoOn } from '../running/head-start.js';
import type { AgentStep } from '../../plan/step.js';
import type { Scope } from '../state/context.js';
import { addressOf, callerOf, noteModel, pathOf, reuseOf, triesBefore } from '../state/context.js';
import { workspaceOf } from '../state/own-workspace.js';
import type { Reservation } from '../budget/reserve.js';
import { mostFor } from '../budget/reserve.js';
import type { ConversationState } from './conversation-state.js';
import { limitFor, makingOf } from './conversation-state.js';
import { remarksFor } from '../state/remarks.js';
import { environmentOf } from '../state/values.js';

/** Asks the model for the next turn: where turns are quick, within the workflow task as long as that takes a moment. */
export function askTurn(conversation: ConversationState, question: Reservation): Promise<TurnAnswer> {
  const {
    slot: {
      scope: { context },
      step,
    },
    state,
    path,
    agent,
  } = conversation;
  const call = turnCall(conversation, question);
  const told = withoutOpened(call, state);
  const id = joinPath(path, turnSegment(call.turn, null));
  const summary = `${segmentOf(step)}: ${agent.name}, turn ${call.turn}`;
  const startToCloseTimeout = call.limit_ms + GRACE_MS;
  const options = { ...actingOptions(step, id, summary, state.paid), startToCloseTimeout };
  const goOn = (): Promise<TurnAnswer> =>
    readAtHome(context, options, (placed) =>
      acting.askTurn.executeWithOptions(placed, [shortCall(told, callerOf(id))]),
    );
  if (step.quick !== true || step.requires !== undefined || travels(context)) return goOn();
  const begun = { ...told, task: workflowInfo().historyLength };
  const quickly = { ...quickOptions(step, summary), startToCloseTimeout };
  const first = quick.beginTurn.executeWithOptions(quickly, [shortCall(begun, callerOf(null))]);
  return orGoOn<TurnAnswer>(first, goOn, { ...call, path: id });
}

function turnCall(conversation: ConversationState, question: Reservation): TurnCall {
  const {
    slot,
    slot: { scope, step },
    state,
    path,
    asked,
  } = conversation;
  const { root, nested, settings } = scope.context;
  const { model } = question;
  if (model === null) throw new Error(`No model was chosen for ${path}`);
  if (asked === null) noteModel(scope, step, model);
  const turn = state.turns + 1;
  const isFirst = state.head === null;
  const said = remarksFor(state, turn);
  const most = mostFor(scope.context, question);
  return {
    root,
    nested,
    step: addressOf(scope, step),
    path,
    try: triesBefore(scope, step) + slot.top.tried,
    environment: isFirst && asked === null ? environmentOf(scope, templatesOf(step)) : {},
    ...(isFirst && asked === null ? firstReuse(scope, step, said.length > 0) : {}),
    model,
    ...(most === undefined ? {} : { most }),
    ...(state.paid === undefined ? {} : { paid: state.paid }),
    ...(isFirst && settings.context !== undefined ? { context: settings.context } : {}),
    ...(isFirst && asked === null && state.before !== undefined ? { before: state.before } : {}),
    turn,
    ...(said.length === 0 ? {} : { said }),
    head: state.head,
    ends: state.ends.map((end) => end ?? { unmade: 'The call was not made.' }),
    workspace: workspaceOf(scope, step),
    limit_ms: limitFor(slot),
    ...termsOf(scope.context),
    ...withOthers(conversation),
    ...makingOf(conversation),
  };
}

/** What the first turn takes over: nothing where people have said something before it. */
function firstReuse(scope: Scope, step: AgentStep, isTold: boolean): Pick<TurnCall, 'reuse'> {
  const { reuse } = reuseOf(scope, step, pathOf(scope, step));
  return reuse === undefined ? {} : { reuse: isTold ? { ...reuse, never: true } : reuse };
}

/** What a turn has to do with other agents, and with workflows that were started. */
function withOthers({ asked, slot: { top } }: ConversationState): Pick<TurnCall, 'asked' | 'partial'> {
  return { ...(asked === null ? {} : { asked }), ...(top.below === undefined ? {} : { partial: true }) };
}

/** What the transcript's beginning tells is not told at every turn (I7). */
function withoutOpened(call: TurnCall, { opened }: Conversation): TurnCall {
  if (opened === undefined || canonicalJson(opened) !== canonicalJson(call.model)) return call;
  const { model: _model, workspace: _workspace, ...others } = call;
  return others;
}
