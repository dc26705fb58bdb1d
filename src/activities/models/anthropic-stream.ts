import type Anthropic from '@anthropic-ai/sdk';
import { AnthropicError } from '@anthropic-ai/sdk';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { asArguments, inputOf, wordIn } from './protocol/message.js';

/** How an answer ended, and what it used. */
export type MessageEnd = Pick<Anthropic.Message, 'stop_reason' | 'usage'>;

/** What one who reads an answer is told while it comes. */
export interface Hearing {
  /** Each event, in order. */
  onEvent: (event: Anthropic.RawMessageStreamEvent) => void;
  /** What the API counts so far, whenever it says so: an answer that breaks off then has used that much. */
  onUsage: (usage: Anthropic.Usage) => void;
}

/** Reads the events of one answer to its end. Throws where they end before the message does. */
export async function readMessage(
  events: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  { onEvent, onUsage }: Hearing,
): Promise<MessageEnd> {
  let said: MessageEnd | null = null;
  let isWhole = false;
  for await (const event of events) {
    if (event.type === 'message_start') {
      said = event.message;
      onUsage(said.usage);
    } else if (event.type === 'message_delta' && said !== null) {
      said = { stop_reason: event.delta.stop_reason, usage: usageNow(said.usage, event.usage) };
      onUsage(said.usage);
    } else if (event.type === 'message_stop') isWhole = true;
    onEvent(event);
  }
  if (said === null || !isWhole) throw new AnthropicError('the stream ended before the message did');
  return said;
}

/** What is counted so far: totals, of which those that do not change are left out. */
function usageNow(before: Anthropic.Usage, now: Anthropic.MessageDeltaUsage): Anthropic.Usage {
  return {
    ...before,
    output_tokens: now.output_tokens,
    input_tokens: now.input_tokens ?? before.input_tokens,
    cache_creation_input_tokens: now.cache_creation_input_tokens ?? before.cache_creation_input_tokens,
    cache_read_input_tokens: now.cache_read_input_tokens ?? before.cache_read_input_tokens,
    server_tool_use: now.server_tool_use ?? before.server_tool_use,
  };
}

/** The blocks of an answer, put together from its events. */
export interface Gathered {
  add: (event: Anthropic.RawMessageStreamEvent) => void;
  blocks: () => Anthropic.ContentBlock[];
}

/**
 * Puts the blocks of an answer together. The SDK does so too, and fails the whole answer for one input of a tool that
 * is no JSON: that is for the model to hear, so such an input stays the text that it is.
 */
export function gatherBlocks(): Gathered {
  const blocks = new Map<number, JsonObject>();
  const inputs = new Map<number, string>();

  function addTo(block: JsonObject, index: number, delta: Anthropic.RawContentBlockDelta): void {
    const text = (key: string): string => (typeof block[key] === 'string' ? block[key] : '');
    if (delta.type === 'text_delta') block['text'] = text('text') + wordIn(delta.text);
    else if (delta.type === 'thinking_delta') block['thinking'] = text('thinking') + wordIn(delta.thinking);
    else if (delta.type === 'signature_delta') block['signature'] = delta.signature;
    else if (delta.type === 'input_json_delta')
      inputs.set(index, (inputs.get(index) ?? '') + wordIn(delta.partial_json));
    else
      block['citations'] = [
        ...(Array.isArray(block['citations']) ? block['citations'] : []),
        delta.citation as unknown as Json,
      ]; // the API speaks JSON
  }

  return {
    add(event) {
      if (event.type === 'content_block_start')
        blocks.set(event.index, { ...event.content_block } as unknown as JsonObject); // as above
      const block = event.type === 'content_block_delta' ? blocks.get(event.index) : undefined;
      if (event.type === 'content_block_delta' && block !== undefined) addTo(block, event.index, event.delta);
    },
    blocks: () =>
      // as above
      [...blocks].map(([index, block]) => withInput(block, inputs.get(index)) as unknown as Anthropic.ContentBlock),
  };
}

/** A use of the API's own tools goes back as it came, and must have an object there. */
function withInput(block: JsonObject, written: string | undefined): JsonObject {
  if (written === undefined) return block;
  const input = inputOf(written);
  return { ...block, input: block['type'] === 'tool_use' ? input : asArguments(input) };
}
