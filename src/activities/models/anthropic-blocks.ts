import type Anthropic from '@anthropic-ai/sdk';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Block, ModelMessage, OfferedTool } from './protocol/message.js';
import { asArguments, blocksOf, inputGiven, wordIn } from './protocol/message.js';
import type { ServedCall } from './protocol/provider.js';
import { sendable } from './protocol/sendable.js';
import { USES } from './provider-tools.js';

type Request = Pick<Anthropic.MessageCreateParamsStreaming, 'system' | 'tools' | 'messages'>;

/** What stands up to here is the same in the next turn, and is read from the provider's cache then. */
const CACHED = { cache_control: { type: 'ephemeral' } } as const;

/**
 * A conversation with tools in the API's words. Tools, system and what was said come in this order in the API's own
 * prefix, so that a mark at the end of each makes all of it cheap in the next turn.
 */
export function conversationParams(system: string, messages: ModelMessage[], tools: OfferedTool[]): Request {
  const last = messages.length - 1;
  return {
    ...(system === '' ? {} : { system: [{ type: 'text', text: system, ...CACHED }] }),
    tools: tools.map((tool, index) => ({ ...toolParam(tool), ...(index === tools.length - 1 ? CACHED : {}) })),
    messages: sendable(messages).map((message, index) => ({
      role: message.role,
      content: blocksOf(message).map((block, at, all) => toParam(block, index === last && at === all.length - 1)),
    })),
  };
}

function toolParam({ name, description, input_schema, server, limits = {} }: OfferedTool): Anthropic.ToolUnion {
  const { max_uses = USES, ...domains } = limits;
  if (server && name === 'web_search') return { type: 'web_search_20250305', name, max_uses, ...domains };
  if (server && name === 'web_fetch') return { type: 'web_fetch_20250910', name, max_uses, ...domains };
  if (server && name === 'code_execution') return { type: 'code_execution_20250825', name };
  return { name, description, input_schema: { ...input_schema, type: 'object' } };
}

/** A block in the API's words; `marked`: what stands up to here is kept in the provider's cache. */
export function toParam(block: Block, marked: boolean): Anthropic.ContentBlockParam {
  const mark = marked ? CACHED : {};
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text, ...mark };
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: asArguments(block.input), ...mark };
    case 'result':
      return {
        type: 'tool_result',
        tool_use_id: block.id,
        content: block.text,
        ...(block.is_error ? { is_error: true } : {}),
        ...mark,
      };
    case 'file':
      return { ...fileParam(block), ...mark };
    case 'kept':
      return block.block as unknown as Anthropic.ContentBlockParam; // It came from the API as such a block.
  }
}

/** A file whose content is in its place: a page-wise document, or an image. */
function fileParam({ name, media, data }: Block & { kind: 'file' }): Anthropic.ContentBlockParam {
  if (typeof data !== 'string') throw new Error(`The content of ${name} is not in its place`);
  if (media === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: media, data }, title: name };
  return { type: 'image', source: { type: 'base64', media_type: media, data } };
}

/** What the API said, in our words; what only it understands is kept as it came. */
export function toBlocks(content: Anthropic.ContentBlock[]): Block[] {
  return content.flatMap((block): Block[] => {
    switch (block.type) {
      case 'text':
        return block.text === '' ? [] : [{ kind: 'text', text: block.text }];
      case 'tool_use': {
        const input = typeof block.input === 'string' ? block.input : inputGiven(block.input); // as `withInput` left it
        return [{ kind: 'call', id: wordIn(block.id), name: wordIn(block.name), input }];
      }
      default:
        // The API speaks JSON.
        return [{ kind: 'kept', provider: 'anthropic', block: withoutNulls(block as unknown as JsonObject) }];
    }
  });
}

/** Fields that an answer has as null are not taken in a request. */
function withoutNulls(block: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(block)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, isObject(value) ? { ...value } : value]),
  );
}

/** What the API's own tools did in an answer, each with what it came to. */
export function servedIn(content: Anthropic.ContentBlock[]): ServedCall[] {
  const results = content as unknown as JsonObject[]; // The API speaks JSON.
  return content.flatMap((block) => {
    if (block.type !== 'server_tool_use') return [];
    const result = results.find(
      ({ type, tool_use_id }) => tool_use_id === block.id && String(type).endsWith('_tool_result'),
    );
    return [
      {
        tool: block.name,
        input: inputGiven(block.input),
        came: result === undefined ? null : cameTo(result['content'] ?? null),
      },
    ];
  });
}

/** Results of a search are a list; all else is one object, an error with its code. */
function cameTo(content: Json): ServedCall['came'] {
  if (Array.isArray(content)) return { said: `${content.length} result${content.length === 1 ? '' : 's'}` };
  const { error_code: code, return_code: returned, url } = isObject(content) ? content : {};
  if (typeof code === 'string') return { error: code };
  return { said: typeof returned === 'number' ? `ended with ${returned}` : typeof url === 'string' ? url : 'done' };
}
