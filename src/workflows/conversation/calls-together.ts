import type { ToolsCall } from '../../activities/contract.js';
import type { ToolRequest } from '../../plan/agents/conversation.js';
import { segmentOf } from '../../plan/plan.js';
import { shortCall } from '../../plan/calls/short-call.js';
import { GRACE_MS, quick, quickOptions } from '../activities.js';
import { travels } from '../running/at-home.js';
import { autonomyOf, callerOf } from '../state/context.js';
import type { ConversationState } from './conversation-state.js';
import { callOf } from './conversation-state.js';
import { isAllowed } from './tool-gates.js';

/** So many calls are made by one local activity: it is one of those that a workflow task waits for. */
const MOST_TOGETHER = 8;

/**
 * The calls of a batch by what makes them: several that take a moment, may run at the same time and need nobody's word
 * are made by one local activity, each other one by itself. In the order of the model by their first ones.
 */
export function unitsOf(conversation: ConversationState, batch: number[]): number[][] {
  const units: number[][] = [];
  let open: number[] | null = null;
  for (const index of batch) {
    if (!isPlain(conversation, index)) {
      units.push([index]);
      continue;
    }
    if (open === null || open.length === MOST_TOGETHER) units.push((open = []));
    open.push(index);
  }
  return units;
}

/**
 * Makes calls of a turn in one local activity. Which of them gave a result has ended then; any other is to be made by
 * itself, which tells what is the matter with it.
 */
export async function callTogether(conversation: ConversationState, calls: number[]): Promise<void> {
  const {
    slot: {
      step,
      scope: { context },
    },
    state,
  } = conversation;
  const { call: _first, ...head } = callOf(conversation, 0);
  const call: ToolsCall = {
    ...head,
    ...autonomyOf(context),
    calls,
    at_once: Math.min(calls.length, context.settings.budget.max_parallel ?? calls.length),
  };
  const options = {
    ...quickOptions(step, `${segmentOf(step)}: ${calls.length} calls`),
    startToCloseTimeout: call.limit_ms + GRACE_MS,
  };
  const answers = await quick.callTools.executeWithOptions(options, [shortCall(call, callerOf(null))]);
  for (const [at, answer] of answers.entries()) {
    const index = calls[at];
    if (index === undefined || !('result' in answer)) continue;
    state.bytes += answer.bytes;
    state.ends[index] = { result: answer.result };
  }
}

function isPlain(conversation: ConversationState, index: number): boolean {
  const {
    slot: {
      step,
      scope: { context },
    },
    state: { calls, allowed },
  } = conversation;
  const request = calls[index];
  return (
    context.settings.calls_together === true &&
    step.requires === undefined &&
    !travels(context) &&
    request !== undefined &&
    takesAMoment(request) &&
    allowed[index] === undefined &&
    isAllowed(conversation, request)
  );
}

/** It only looks, and no hook is about it. */
function takesAMoment({ action, quick: isQuick, alone, hooked }: ToolRequest): boolean {
  return (
    isQuick === true &&
    alone === undefined &&
    hooked === undefined &&
    (action?.kind === 'read' || action?.kind === 'none')
  );
}
