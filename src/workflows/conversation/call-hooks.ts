import type { HookCall } from '../../activities/contract.js';
import type { HookAnswer } from '../../plan/tools/hook.js';
import type { CallEnd } from '../../plan/agents/conversation.js';
import { turnSegment } from '../../plan/agents/conversation.js';
import { shortCall } from '../../plan/calls/short-call.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import { atHome } from '../running/at-home.js';
import { GRACE_MS, acting, actingOptions } from '../activities.js';
import { callerOf } from '../state/context.js';
import type { OneCall } from './conversation-state.js';
import { callOf, callPath, endedBy } from './conversation-state.js';

/** What hooks said before a call: its end, or how it goes on. Hashes are short ones, of stored texts. */
export type Before = { end: CallEnd } | { asks?: string; told?: string };

/** Runs the hooks before a call. Throws where one says that the agent does not go on. */
export async function hooksBefore(one: OneCall): Promise<Before> {
  if (one.request.hooked?.includes('before') !== true) return {};
  const answer = await runHooks(one, { when: 'before' });
  if ('result' in answer) return { end: resultIn(one, answer) };
  if ('stops' in answer) throw stopped(one, answer.stops);
  return 'asks' in answer ? { asks: answer.asks } : answer.told === undefined ? {} : { told: answer.told };
}

/** Runs the hooks after a call that was made: what they say is told with what it gave. */
export async function hooksAfter(one: OneCall, ended: CallEnd, told: string | undefined): Promise<CallEnd> {
  if (told === undefined && one.request.hooked?.includes('after') !== true) return ended;
  if (!('result' in ended) && !('answer' in ended)) return ended;
  const answer = await runHooks(one, { when: 'after', ended, ...(told === undefined ? {} : { told }) });
  if ('stops' in answer) throw stopped(one, answer.stops);
  return 'result' in answer ? resultIn(one, answer) : ended;
}

function resultIn({ conversation: { state } }: OneCall, { result, bytes }: { result: string; bytes: number }): CallEnd {
  state.bytes += bytes;
  return { result };
}

function stopped({ conversation: { agent }, request: { tool } }: OneCall, why: string): Error {
  return endedBy('tool-refused', `A hook of \`${agent.name}\` ended it at a call of \`${tool}\`: ${why}`);
}

function runHooks(one: OneCall, about: Pick<HookCall, 'when' | 'ended' | 'told'>): Promise<HookAnswer> {
  const {
    conversation,
    conversation: {
      slot: { scope, step },
    },
    index,
    request: { tool },
  } = one;
  const call: HookCall = { ...callOf(conversation, index), ...about };
  // Beside the call itself and the turns of an agent that it calls, of which none is the turn 0.
  const id = joinPath(callPath(conversation, index), turnSegment(0, about.when === 'before' ? 0 : 1));
  const summary = `${segmentOf(step)}: hooks ${about.when} ${tool.slice(0, 100)}`;
  // What is begun is journalled, so that a lost worker's call may always come again.
  const { retry: { maximumAttempts: _once, ...retry } = {}, ...options } = actingOptions(step, id, summary);
  const startToCloseTimeout = call.limit_ms + GRACE_MS;
  return atHome(scope.context, { ...options, retry, startToCloseTimeout }, (placed) =>
    acting.callHooks.executeWithOptions(placed, [shortCall(call, callerOf(id))]),
  );
}
