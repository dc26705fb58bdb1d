import type { JsonObject } from '../../plan/values/json.js';
import type { Block, ModelMessage } from './protocol/message.js';
import { asArguments, bytesGiven, callsIn, inputOf, textIn, wordIn } from './protocol/message.js';
import type { ModelAnswer, Usage } from './protocol/provider.js';
import { higher, NO_USAGE } from './protocol/provider.js';
import { stopWith } from './protocol/stop-reason.js';

/** A piece of a streamed chat completion; every field is looked at before it is used. */
export interface Chunk {
  choices?: ({ delta?: Delta | null; finish_reason?: string | null } | null)[] | null;
  usage?: {
    prompt_tokens?: number;
    completion_tokens?: number;
    prompt_tokens_details?: { cached_tokens?: number } | null;
  } | null;
  error?: unknown;
  /** `error` where the piece itself is one, as of some servers. */
  object?: unknown;
}

/** A whole chat completion, as of servers that do not stream. */
export interface Completion extends Omit<Chunk, 'choices'> {
  choices?: ({ message?: Delta | null; finish_reason?: string | null } | null)[] | null;
}

interface Delta {
  content?: unknown;
  refusal?: string | null;
  /** What was thought, by the one name or the other. */
  reasoning_content?: unknown;
  reasoning?: unknown;
  tool_calls?: (CallPart | null)[] | null;
}

/** A call comes in parts: its id and name first, its arguments as pieces of JSON. */
interface CallPart {
  index?: number | null;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

interface SaidCall {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

/** What was said so far. */
export interface Said {
  text: string;
  refusal: string;
  calls: SaidCall[];
  finish: string | null;
  usage: Usage;
  /** Tokens of the question, those of them from the cache, and those of the answer, as they were told. */
  told: { asked: number; cached: number; answered: number };
}

export function nothingSaid(): Said {
  const told = { asked: 0, cached: 0, answered: 0 };
  return { text: '', refusal: '', calls: [], finish: null, usage: NO_USAGE, told };
}

/** What went wrong in the middle of an answer, by a piece of it; null where that is none of an error. */
export function errorIn(chunk: Chunk): unknown {
  return chunk.error ?? (chunk.object === 'error' ? chunk : null);
}

/** The one piece of an answer that did not come in pieces. */
export function wholeChunk({ choices, ...others }: Completion): Chunk {
  const [choice] = choices ?? [];
  return { ...others, choices: choice == null ? [] : [{ ...choice, delta: choice.message ?? null }] };
}

/** A message in OpenAI's words: results of tools are messages of their own. */
export function toChat(message: ModelMessage): JsonObject[] {
  if ('text' in message) return [{ role: message.role, content: message.text }];
  const text = textIn(message.blocks);
  const results = message.blocks
    .filter((block) => block.kind === 'result')
    .map(({ id, text: content }): JsonObject => ({ role: 'tool', tool_call_id: id, content }));
  if (results.length > 0) return [...results, ...(text === '' ? [] : [{ role: message.role, content: text }])];
  const calls = callsIn(message.blocks).map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(asArguments(input)) },
  }));
  return [{ role: message.role, content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}

/** Adds a piece to what was said, and gives the text that is new in it. */
export function addChunk(said: Said, { choices, usage }: Chunk): string {
  const { delta, finish_reason = null } = choices?.[0] ?? {};
  const added = wordsIn(delta?.content);
  said.text += added;
  said.refusal += wordIn(delta?.refusal);
  for (const part of delta?.tool_calls ?? []) if (part !== null) addCall(said, part);
  said.finish = finish_reason ?? said.finish;
  if (usage != null) count(said, usage);
  return added;
}

/** Bytes of all that the model has said in a piece. */
export function bytesIn({ choices }: Chunk): number {
  const { content, refusal, reasoning_content, reasoning, tool_calls } = choices?.[0]?.delta ?? {};
  const calls = (tool_calls ?? []).map((part) => part?.function?.arguments);
  // Some servers give the same thoughts by both names.
  return bytesGiven([content, refusal, reasoning_content ?? reasoning, ...calls]);
}

/** Some servers give words as a list of parts, thoughts among them. */
function wordsIn(content: unknown): string {
  if (!Array.isArray(content)) return wordIn(content);
  const parts = content as ({ type?: unknown; text?: unknown } | null)[]; // each field is looked at
  return parts.map((part) => (part?.type === 'text' ? wordIn(part.text) : '')).join('');
}

function addCall({ calls }: Said, { index: at, id: given, function: made }: CallPart): void {
  const index = at ?? undefined;
  const { name: called, arguments: input } = made ?? {};
  const [id, name] = [wordIn(given), wordIn(called)];
  const written = typeof input === 'object' && input !== null ? JSON.stringify(input) : wordIn(input);
  let call = begunCall(calls, { index, id, name, arguments: written });
  if (call === undefined) calls.push((call = { index, id, name: '', arguments: '' }));
  call.id ||= id;
  // Some servers say the name with each part.
  if (name !== call.name) call.name += name;
  call.arguments += written;
}

/**
 * The call that a part goes on with: the last of its index, unless that has another id, as where a server numbers all
 * calls alike. One without an index goes on with the last where it names none, or the same before that is whole.
 */
function begunCall(calls: SaidCall[], { index, id, name, arguments: written }: SaidCall): SaidCall | undefined {
  if (index === undefined) {
    const last = calls.at(-1);
    if (id + name === '') return last;
    return id !== '' && last?.id === id && (written === '' || !isWhole(last.arguments)) ? last : undefined;
  }
  const last = calls.findLast((call) => call.index === index);
  return last === undefined || id === '' || last.id === '' || last.id === id ? last : undefined;
}

function isWhole(written: string): boolean {
  try {
    return written.trimEnd().endsWith('}') && JSON.parse(written) !== null;
  } catch {
    return false;
  }
}

/** `prompt_tokens` counts those that were read from the cache, too. What is told are totals, which do not fall. */
function count(
  said: Said,
  { prompt_tokens, completion_tokens, prompt_tokens_details }: NonNullable<Chunk['usage']>,
): void {
  const { told } = said;
  told.asked = higher(told.asked, prompt_tokens);
  told.cached = higher(told.cached, prompt_tokens_details?.cached_tokens);
  told.answered = higher(told.answered, completion_tokens);
  const { asked, cached, answered } = told;
  said.usage = { ...NO_USAGE, input: Math.max(0, asked - cached), cache_read: cached, output: answered };
}

/** The answer when the stream is over. `whole` asks for its blocks. Throws where it may be half. */
export function toAnswer({ text, refusal, calls, finish, usage }: Said, whole: boolean): ModelAnswer {
  if (refusal !== '') return { text: refusal, stop: 'refused', usage };
  const called = calls.map(({ id, name, arguments: input }, index): Block => ({
    kind: 'call',
    id: id || `call_${index}`,
    name,
    input: inputOf(input),
  }));
  const words: Block[] = text === '' ? [] : [{ kind: 'text', text }];
  return {
    text,
    ...stopWith(finish, called.length > 0),
    usage,
    ...(whole ? { blocks: [...words, ...called] } : {}),
  };
}
