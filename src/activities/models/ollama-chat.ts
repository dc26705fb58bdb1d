import type { Json, JsonObject } from '../../plan/values/json.js';
import type { Block, ModelMessage, OfferedTool } from './protocol/message.js';
import { asArguments, bytesGiven, callsIn, inputGiven, inputOf, textIn, wordIn } from './protocol/message.js';
import type { ModelAnswer } from './protocol/provider.js';
import { NO_USAGE } from './protocol/provider.js';
import { stopWith } from './protocol/stop-reason.js';

/** One line of an answer of `/api/chat`. */
export interface ChatLine {
  message?: {
    content?: string | null;
    thinking?: string | null;
    tool_calls?: ({ function?: { name?: string; arguments?: Json } | null } | null)[] | null;
  } | null;
  error?: string;
  done?: boolean;
  done_reason?: string;
  prompt_eval_count?: number;
  eval_count?: number;
}

/** What was said so far. */
export interface Said {
  text: string;
  calls: Block[];
}

export function toFunction({ name, description, input_schema }: OfferedTool): JsonObject {
  return { type: 'function', function: { name, description, parameters: input_schema } };
}

/** A message in Ollama's words: results of tools are messages of their own. */
export function toChat(message: ModelMessage): JsonObject[] {
  if ('text' in message) return [{ role: message.role, content: message.text }];
  const calls = callsIn(message.blocks);
  const text = textIn(message.blocks);
  const results = message.blocks
    .filter((block) => block.kind === 'result')
    .map(({ name, text: content }): JsonObject => ({ role: 'tool', tool_name: name, content }));
  if (results.length > 0) return [...results, ...(text === '' ? [] : [{ role: message.role, content: text }])];
  return [
    {
      role: message.role,
      content: text,
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map(({ name, input }) => ({ function: { name, arguments: asArguments(input) } })) }),
    },
  ];
}

/**
 * Adds a line to what was said, and gives the text that is new in it. Ollama gives calls no ids: their number is one.
 */
export function addPiece(said: Said, { message }: ChatLine): string {
  const content = wordIn(message?.content);
  said.text += content;
  for (const part of message?.tool_calls ?? []) {
    const { name, arguments: given } = part?.function ?? {};
    said.calls.push({
      kind: 'call',
      id: `call_${said.calls.length}`,
      name: wordIn(name),
      // Some servers that speak like Ollama give the JSON that a model wrote.
      input: typeof given === 'string' ? inputOf(given) : inputGiven(given),
    });
  }
  return content;
}

/** Bytes of all that the model has said in a line. */
export function bytesIn({ message }: ChatLine): number {
  const { content, thinking, tool_calls } = message ?? {};
  return bytesGiven([content, thinking, ...(tool_calls ?? []).map((part) => part?.function?.arguments)]);
}

/** The answer that a last line ends. `whole` asks for its blocks. Throws where it may be half. */
export function toAnswer(
  { text, calls }: Said,
  { done_reason, prompt_eval_count = 0, eval_count = 0 }: ChatLine,
  whole: boolean,
): ModelAnswer {
  const words: Block[] = text === '' ? [] : [{ kind: 'text', text }];
  return {
    text,
    ...stopWith(done_reason, calls.length > 0),
    usage: { ...NO_USAGE, input: prompt_eval_count, output: eval_count },
    ...(whole ? { blocks: [...words, ...calls] } : {}),
  };
}
