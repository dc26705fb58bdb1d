import type { Json, JsonObject } from '../../../plan/values/json.js';
import { isObject, utf8Bytes } from '../../../plan/values/json.js';
import { jsonFault } from '../../../plan/values/json-fault.js';
import { jsonTextFault } from '../../../plan/values/json-text-fault.js';
import type { Attachment } from '../../../plan/values/attachment.js';
import { attachedBytes } from '../../../plan/budget/price.js';
import type { ModelChoice } from '../../../plan/agents/model-choice.js';
import type { ProviderLimits } from '../../../plan/tools/tool.js';

/** One piece of a message where tools are used. */
export type Block =
  | { kind: 'text'; text: string }
  /** The model wants a tool called. `id` is its own word, by which the result answers it. */
  | { kind: 'call'; id: string; name: string; input: Json; /** The answer ended within it. */ cut?: true }
  | { kind: 'result'; id: string; name: string; text: string; is_error: boolean }
  /** A file as it is. Its content travels by hash, and is put in its place when the provider is called. */
  | ({ kind: 'file' } & Attachment)
  /**
   * What only its own provider understands and wants back unchanged: thinking with its signature, what a server's tool
   * did.
   */
  | { kind: 'kept'; provider: ModelChoice['provider']; block: JsonObject };

export type ToolCall = Block & { kind: 'call' };

/** What one side said: a text, or blocks in a conversation with tools. */
export type ModelMessage = { role: 'user' | 'assistant' } & ({ text: string } | { blocks: Block[] });

/** A tool that a model may call; one of `server` the provider runs itself, and knows by its name. */
export type OfferedTool = ToolSpec & { server?: true; limits?: ProviderLimits };

export function blocksOf(message: ModelMessage): Block[] {
  if ('blocks' in message) return message.blocks;
  return message.text === '' ? [] : [{ kind: 'text', text: message.text }];
}

/** All text of a message, as one. */
export function textOf(message: ModelMessage): string {
  return 'text' in message ? message.text : textIn(message.blocks);
}

export function textIn(blocks: Block[]): string {
  return blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('');
}

export function callsIn(blocks: Block[]): ToolCall[] {
  return blocks.filter((block) => block.kind === 'call');
}

/** Bytes that a message has in a request, about: what reservations are made by (I8). */
export function messageBytes(message: ModelMessage): number {
  if ('text' in message) return utf8Bytes(message.text);
  return utf8Bytes(JSON.stringify(message.blocks)) + attachedBytes(filesIn(message.blocks));
}

/** The files of a message. */
export function filesIn(blocks: Block[]): (Block & { kind: 'file' })[] {
  return blocks.filter((block) => block.kind === 'file');
}

/** An id, a name or a piece of text as a provider gave it: what is no text is none. */
export function wordIn(given: unknown): string {
  return typeof given === 'string' ? given : '';
}

/** Bytes of parts of an answer as a provider gave them: texts, or what it has read as JSON; what is absent has none. */
export function bytesGiven(parts: unknown[]): number {
  const given = parts.filter((part) => part !== undefined && part !== null);
  return given.reduce<number>(
    (sum, part) => sum + utf8Bytes(typeof part === 'string' ? part : JSON.stringify(part)),
    0,
  );
}

/**
 * The arguments of a call as a model wrote them. What is no JSON, or a text in JSON, or none that can be passed on,
 * stays as it was written: whoever checks it tells the model.
 */
export function inputOf(written: string): Json {
  try {
    const input = written.trim() === '' ? {} : (JSON.parse(written) as Json); // JSON is JSON
    return typeof input !== 'string' && jsonTextFault(written, input) === null ? input : written;
  } catch {
    return written;
  }
}

/** Arguments that a provider has read for us; none are an empty object, and a text is one in JSON. */
export function inputGiven(input: unknown): Json {
  const given = (input ?? {}) as Json; // it was parsed from JSON
  const fault = jsonFault(given);
  if (fault !== null) return JSON.stringify(`arguments with ${fault}`);
  return typeof given === 'string' ? JSON.stringify(given) : given;
}

/** Arguments as they are told again: providers take an object there, and no other. */
export function asArguments(input: Json): JsonObject {
  return isObject(input) ? input : { INVALID_JSON: input };
}

/** A tool as a model is told of it. */

export interface ToolSpec {
  name: string;
  description: string;
  input_schema: JsonObject;
}
