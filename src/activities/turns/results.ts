import type { CallEnd } from '../../plan/conversation.js';
import { isObject, toText } from '../../plan/json.js';
import { longHash } from '../../plan/short-hash.js';
import { longValue } from '../../plan/short-value.js';
import type { Hash } from '../../plan/value.js';
import { isStored } from '../../plan/value.js';
import type { ToolCall } from '../models/message.js';
import { cutText } from '../output-capture.js';
import { untrusted } from '../provenance.js';
import type { ToolRun } from '../tools/handler.js';
import type { Turning } from './ask-turn.js';
import { findCall, usesOf } from './offered-tools.js';
import { addMessage, callsAt, resultsMessage } from './transcript.js';

const KB = 1024;

/** Adds what the calls of the last turn gave to the transcript, as one message. */
export async function addResults(turning: Turning, head: Hash): Promise<Hash> {
  const { deps: { store }, call } = turning;
  const calls = await callsAt(store, head);
  // A try that goes on after a failed turn asks the same again.
  if (calls.length === 0) return head;
  const results = await Promise.all(calls.map((one, index) => resultOf(turning, one, call.ends[index])));
  return addMessage(store, head, resultsMessage(calls, results));
}

async function resultOf(turning: Turning, call: ToolCall, end: CallEnd | undefined): Promise<{ text: string; is_error: boolean }> {
  const { deps: { store }, agent, call: { workspace } } = turning;
  if (end === undefined) return { text: 'The call was not made.', is_error: true };
  if ('unmade' in end) return { text: end.unmade, is_error: true };
  if ('refused' in end) {
    const found = await findCall(store, usesOf(turning), call, workspace);
    return { text: 'refusal' in found ? found.refusal : 'The call was refused.', is_error: true };
  }
  if ('answer' in end) {
    const answer = longValue(end.answer);
    return shown(sourceOf(turning, call), { content: isStored(answer) ? await store.get(answer.ref) : answer.value, is_error: false }, agent.max_output_kb);
  }
  const run = (await store.get(longHash(end.result))) as unknown as ToolRun; // `callTool` put it there
  return shown(`tool:${call.name}`, run, agent.max_output_kb);
}

/** Who has answered a call: a workflow, or an agent by its own name or as an argument. */
function sourceOf({ agent: { uses = [] } }: Turning, { name, input }: ToolCall): string {
  if (uses.some((tool) => tool.kind === 'workflow' && tool.name === name)) return `workflow:${name}`;
  return `agent:${name === 'agent_call' && isObject(input) && typeof input['agent'] === 'string' ? input['agent'] : name}`;
}

/** What came from elsewhere, marked as nobody's word here. */
function shown(source: string, { content, is_error }: ToolRun, kb: number): { text: string; is_error: boolean } {
  const text = cutText(toText(content), kb * KB);
  return { text: text === '' ? '(nothing)' : untrusted(source, text), is_error };
}
