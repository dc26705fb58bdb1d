import { isCancellation } from '@temporalio/workflow';
import type { AskedBy, ToolCall } from '../../activities/contract.js';
import type { Action } from '../../plan/tools/action.js';
import type { CallEnd, CalledAgent, ToolAnswer } from '../../plan/agents/conversation.js';
import { segmentOf } from '../../plan/plan.js';
import { shortCall } from '../../plan/calls/short-call.js';
import { longHash } from '../../plan/packing/short-hash.js';
import type { Agent } from '../../plan/step.js';
import { USUAL_AGENT_DEPTH } from '../../plan/step.js';
import { atHome, travels } from '../running/at-home.js';
import { GRACE_MS, acting, actingOptions, quick, quickOptions } from '../activities.js';
import { autonomyOf, callerOf } from '../state/context.js';
import { failureFrom } from '../failures.js';
import { startReady } from '../running/step-runner.js';
import { spareSlot } from '../budget/reserve.js';
import { leave, parkIfDraining } from './slot.js';
import type { Lane, OneCall, ConversationState } from './conversation-state.js';
import { agentOf, callOf, callPath, endedBy, freshConversation, releaseSpare } from './conversation-state.js';
import { hooksAfter, hooksBefore } from './call-hooks.js';
import { afterDoubt, isDenied, permissionAgain, permissionFor } from './tool-gates.js';
import { callTogether, unitsOf } from './calls-together.js';
import { callWorkflow } from './workflow-call.js';

/** So many calls of one turn at once, where there are slots for them (I11). */
const MOST_AT_ONCE = 8;
/** Failures of a called agent that are the run's own and not for its caller to mend. */
const OURS: ReadonlySet<string> = new Set([
  'limit-reached',
  'timeout',
  'internal',
  'store-full',
  'store-missing',
  'journal-mismatch',
  // What the permissions of a called agent say about a denial, they say for the step.
  'tool-refused',
]);

/** Makes the calls of the last turn that have not ended: those that may at the same time, in the order of the model. */
export async function callTools(conversation: ConversationState): Promise<void> {
  for (const batch of batchesOf(conversation)) await runBatch(conversation, batch);
}

function batchesOf({ state: { calls, ends } }: ConversationState): number[][] {
  const batches: number[][] = [];
  let together = false;
  calls.forEach((request, index) => {
    if (ends[index] !== null) return;
    if (together && !request.alone) batches.at(-1)?.push(index);
    else batches.push([index]);
    together = !request.alone;
  });
  return batches;
}

/** What fails, fails the turn once the others have ended; what they gave is kept for the next try. */
async function runBatch(conversation: ConversationState, batch: number[]): Promise<void> {
  const { slot } = conversation;
  const queue = unitsOf(conversation, batch);
  const lanes = openLanes(conversation, queue.length);
  let running = lanes.length;
  slot.working += lanes.length - 1;
  const ended = await Promise.allSettled(
    lanes.map(async (lane) => {
      try {
        for (let unit = queue.shift(); unit !== undefined; unit = queue.shift())
          await runUnit(conversation, unit, lane);
      } finally {
        releaseSpare(conversation, lane);
        running -= 1;
        // The last one goes on as the conversation itself.
        if (running > 0) leave(slot);
      }
    }),
  );
  const failed = ended.filter((end) => end.status === 'rejected').map(({ reason }): unknown => reason);
  // As it was caught; a cancellation goes first (I9).
  if (failed.length > 0) throw failed.find(isCancellation) ?? failed[0];
}

function openLanes(
  {
    slot: {
      scope: { context },
    },
  }: ConversationState,
  calls: number,
): Lane[] {
  const lanes: Lane[] = [{ spare: null }];
  const { runningSteps, settings } = context;
  while (
    lanes.length < Math.min(calls, MOST_AT_ONCE) &&
    runningSteps.activities < (settings.budget.max_parallel ?? MOST_AT_ONCE)
  ) {
    const spare = spareSlot(context);
    if (spare === null) break;
    runningSteps.activities += 1;
    lanes.push({ spare });
  }
  return lanes;
}

async function runUnit(conversation: ConversationState, unit: number[], lane: Lane): Promise<void> {
  if (unit.length > 1) {
    await parkCall(conversation, lane);
    await callTogether(conversation, unit);
    startReady(conversation.slot.scope.context);
  }
  for (const index of unit) if (conversation.state.ends[index] === null) await runCall(conversation, index, lane);
}

async function runCall(conversation: ConversationState, index: number, lane: Lane): Promise<void> {
  const { state } = conversation;
  const request = state.calls[index];
  if (request === undefined) return;
  await parkCall(conversation, lane);
  state.ends[index] = await endOfCall({ conversation, index, request, lane });
  // A run may become long within one turn: the calls that have not begun are made by the next link.
  startReady(conversation.slot.scope.context);
}

/**
 * Stops a lane while the run is about to continue as new: it holds no slot of its own meanwhile, which would be
 * something in flight.
 */
async function parkCall(conversation: ConversationState, lane: Lane): Promise<void> {
  if (!conversation.slot.scope.context.runningSteps.draining) return;
  releaseSpare(conversation, lane);
  await parkIfDraining(conversation.slot);
}

async function endOfCall(one: OneCall): Promise<CallEnd> {
  const {
    conversation,
    request: { action, agent },
  } = one;
  if (action === undefined) return { refused: true };
  const before = await hooksBefore(one);
  if ('end' in before) return before.end;
  if (before.asks !== undefined) one.hooked = before.asks;
  const refusal = await allowance(one, action);
  if (refusal !== null) return { unmade: refusal };
  await parkCall(conversation, one.lane);
  const end =
    agent === undefined
      ? await callTool(one)
      : await callAgent(one, { agent: agentOf(conversation.slot.scope, longHash(agent)), asked: { agent } });
  return hooksAfter(one, end, before.told);
}

/** Null when the call may be made; what the policy says, or a person. That a person allowed it is remembered. */
async function allowance(one: OneCall, action: Action): Promise<string | null> {
  const {
    conversation: { state },
    index,
  } = one;
  if (state.allowed[index] !== undefined) return null;
  const permission = await permissionFor(one, action);
  if (permission === 'allowed') return null;
  if ('refusal' in permission) return deniedAs(one, permission.refusal);
  state.allowed[index] = permission.hash;
  return null;
}

/** What an agent is told of a denial. Throws where its permissions say that a denial ends the step. */
function deniedAs({ conversation: { agent }, request: { tool } }: OneCall, refusal: string): string {
  switch (agent.permissions?.denial) {
    case 'stop':
      throw endedBy('tool-refused', `\`${agent.name}\` wanted to use \`${tool}\`. ${refusal}`);
    case 'report':
      return JSON.stringify({ error: refusal, tool_name: tool, error_type: 'permission' });
    case undefined:
      return refusal;
  }
}

async function callTool(one: OneCall): Promise<CallEnd> {
  const { state } = one.conversation;
  for (let again = 0; ;) {
    const answer = await makeCall(one, again);
    if ('called' in answer) return callAgent(one, calledAgent(one, answer.called));
    if ('starts' in answer) return callWorkflow(one, answer.starts);
    if ('result' in answer) {
      state.bytes += answer.bytes;
      if (answer.made !== undefined) state.made = answer.made;
      return { result: answer.result };
    }
    const told = 'changed' in answer ? await askAgain(one) : await afterDoubt(one);
    if (told !== null) return { unmade: told };
    if ('doubt' in answer) again += 1;
  }
}

/** What a person allowed is not what would be done: null when it is allowed as it is now. */
async function askAgain(one: OneCall): Promise<string | null> {
  const {
    conversation: { state },
    index,
  } = one;
  delete state.allowed[index];
  const permission = await permissionAgain(one);
  if ('refusal' in permission) return deniedAs(one, permission.refusal);
  state.allowed[index] = permission.hash;
  return null;
}

function makeCall(one: OneCall, again: number): Promise<ToolAnswer> {
  const {
    conversation,
    index,
    request: { tool, quick: isQuick },
  } = one;
  const {
    slot: { scope, step },
    state,
  } = conversation;
  const allowed = state.allowed[index];
  const call: ToolCall = {
    ...callOf(conversation, index),
    ...(allowed === undefined ? {} : { allowed, ...(isDenied(one) ? { lifts: true } : {}) }),
    ...(again === 0 ? {} : { again }),
    ...(one.hooked === undefined ? {} : { hooked: one.hooked }),
    ...autonomyOf(scope.context),
  };
  const summary = `${segmentOf(step)}: ${tool.slice(0, 100)}`;
  const startToCloseTimeout = call.limit_ms + GRACE_MS;
  if (isQuick && step.requires === undefined && !travels(scope.context))
    return quick.callTool.executeWithOptions({ ...quickOptions(step, summary), startToCloseTimeout }, [
      shortCall(call, callerOf(null)),
    ]);
  const id = callPath(conversation, index);
  // What is begun is journalled, so that a lost worker's call may always come again.
  const { retry: { maximumAttempts: _once, ...retry } = {}, ...options } = actingOptions(step, id, summary);
  return atHome(scope.context, { ...options, retry, startToCloseTimeout }, (placed) =>
    acting.callTool.executeWithOptions(placed, [shortCall(call, callerOf(id))]),
  );
}

/** Who is called, and what its activities are told of it beside where the call stands. */
interface Called {
  agent: Agent;
  asked: Pick<AskedBy, 'agent' | 'question'>;
}

/**
 * An agent of the Plan that is shown files; or one that was made in this run, as the Plan would hold it: activities
 * know the rest of it. It may do what its maker may.
 */
function calledAgent(
  {
    conversation: {
      slot: { scope },
    },
  }: OneCall,
  { agent: hash, by, name, model, max_turns, question }: CalledAgent,
): Called {
  const asked = { agent: hash, ...(question === undefined ? {} : { question }) };
  if (by === undefined) return { agent: agentOf(scope, longHash(hash)), asked };
  const { base_url: _own, ...maker } = agentOf(scope, longHash(by));
  return { agent: { ...maker, name, model, max_turns }, asked };
}

/** An agent as a tool: a conversation of its own, in the same step, slot and time. */
async function callAgent({ conversation, index, lane: _shared }: OneCall, { agent, asked }: Called): Promise<CallEnd> {
  const {
    slot,
    slot: {
      scope: { context },
    },
    state,
    depth,
  } = conversation;
  const most = conversation.agent.max_depth ?? USUAL_AGENT_DEPTH;
  if (depth >= most)
    return { unmade: `\`${agent.name}\` was not called: agents may call each other ${most} levels deep.` };
  const path = callPath(conversation, index);
  const own = context.conversations.get(path) ?? freshConversation(1);
  context.conversations.set(path, own);
  try {
    const { output, bytes } = await conversation.converse({
      slot,
      state: own,
      path,
      agent,
      converse: conversation.converse,
      asked: { ...asked, head: state.head ?? '', call: index },
      depth: depth + 1,
    });
    state.bytes += bytes;
    return { answer: output ?? { value: null } };
  } catch (error) {
    const failure = failureFrom(error);
    if (isCancellation(error) || OURS.has(failure.type)) throw error;
    return { unmade: `\`${agent.name}\` failed: ${failure.message}` };
  } finally {
    context.conversations.delete(path);
  }
}
