import { MOST_CALLS } from '../../plan/agents/conversation.js';
import { isObject, toText } from '../../plan/values/json.js';
import { longHash } from '../../plan/packing/short-hash.js';
import { longValue } from '../../plan/packing/short-value.js';
import type { Hash } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import type { ToolCall } from '../models/protocol/message.js';
import { cutText } from '../processes/output-capture.js';
import { untrusted } from '../values/provenance.js';
import type { ToolRun } from '../tools/handler/handler.js';
import type { Turn } from './turn.js';
import { findCall, usesOf } from './offered-tools.js';
import { remarkBlocks, remarkText } from './remarks.js';
import { addMessage, callsAt, resultsMessage } from './transcript.js';
import { isResultTold, tellResult } from './turn-log.js';

const KB = 1024;

/** Adds what the calls of the last turn gave, and what people have said since, to the transcript, as one message. */
export async function addResults(turning: Turn, head: Hash): Promise<Hash> {
  const {
    deps: { store },
    call: { said },
    agent,
  } = turning;
  const calls = await callsAt(store, head);
  const remark = remarkText(said);
  // A try that goes on after a failed turn asks the same again.
  if (calls.length === 0) return remark === null ? head : addMessage(store, head, { role: 'user', text: remark });
  const results = await Promise.all(calls.map((one, index) => resultOf(turning, one, index)));
  await tellResults(turning, calls, results);
  return addMessage(
    store,
    head,
    resultsMessage(
      calls,
      results.map((result) => shown(result, agent.max_output_kb)),
      remarkBlocks(said),
    ),
  );
}

/** What came of a call: from elsewhere, or our own words. */
interface Result extends ToolRun {
  source: string | null;
  /** `callTool` has said it in the log. */
  isTold?: boolean;
}

async function resultOf(turning: Turn, call: ToolCall, index: number): Promise<Result> {
  const end = turning.call.ends[index];
  const {
    deps: { store },
    call: { workspace },
  } = turning;
  if (end === undefined)
    return refusal(
      index < MOST_CALLS
        ? 'The call was not made.'
        : `The call was not made: a turn may ask for ${MOST_CALLS} calls, and this one is its number ` +
            `${index + 1}. Ask for it in the next turn.`,
    );
  if ('unmade' in end) return refusal(end.unmade);
  if ('refused' in end) {
    const found = await findCall(store, usesOf(turning), call, workspace);
    // What a call of the same turn has made is there only now.
    return refusal(
      'refusal' in found
        ? found.refusal
        : `\`${call.name}\` was not there yet when you called it: you have it from now on. Call it again.`,
    );
  }
  if ('answer' in end) {
    const answer = longValue(end.answer);
    const content = isStored(answer) ? await store.get(answer.ref) : answer.value;
    return {
      source: sourceOf(turning, call),
      content:
        end.partial === undefined
          ? content
          : `${toText(content)}\n\nIt came to a part only. What failed in it:\n${end.partial}`,
      is_error: false,
    };
  }
  const run = (await store.get(longHash(end.result))) as unknown as ToolRun; // `callTool` put it there
  return { ...run, source: `tool:${call.name}`, isTold: true };
}

function refusal(content: string): Result {
  return { source: null, content, is_error: true };
}

/**
 * Says in the log what no activity of its own has said: what agents and workflows gave, and which calls were not made.
 */
async function tellResults(
  {
    deps: { store },
    call: {
      root: { run },
      path,
      turn,
    },
    log,
  }: Turn,
  calls: ToolCall[],
  results: Result[],
): Promise<void> {
  for (const [index, result] of results.entries()) {
    const place = { turn: turn - 1, call: index };
    // Another try of the turn, or another worker, comes here again.
    if (result.isTold !== true && !(await isResultTold(store, { run, path }, place)))
      tellResult(log, place, calls[index]?.name ?? '', result);
  }
}

/** Who has answered a call: a workflow, or an agent by its own name or as an argument. */
function sourceOf({ agent: { uses = [] } }: Turn, { name, input }: ToolCall): string {
  if (uses.some((tool) => tool.kind === 'workflow' && tool.name === name)) return `workflow:${name}`;
  const called = name === 'agent_call' && isObject(input) ? input['agent'] : undefined;
  return `agent:${typeof called === 'string' ? called : name}`;
}

/** As the model is told: what came from elsewhere is marked as nobody's word here. */
function shown({ source, content, is_error }: Result, kb: number): { text: string; is_error: boolean } {
  const text = cutText(toText(content), kb * KB);
  if (source === null) return { text, is_error };
  return { text: text === '' ? '(nothing)' : untrusted(source, text), is_error };
}
