import type Anthropic from '@anthropic-ai/sdk';
import { AnthropicError } from '@anthropic-ai/sdk';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { asArguments, inputOf, wordIn } from './protocol/message.js';
import type { Usage } from './protocol/provider.js';
import { higher } from './protocol/provider.js';

/** How an answer ended, and what it used. */
export interface MessageEnd {
  stop_reason: Anthropic.Message['stop_reason'];
  usage: Usage;
}

/** What the API counts; servers that only speak it leave out any of this, or all. */
type ToldUsage = Partial<Anthropic.Usage> | null | undefined;

/** Tokens so far. `written` are those that went to a cache, `hour` those of them that stay for an hour. */
type Counted = Record<'input' | 'output' | 'read' | 'written' | 'hour' | 'searches', number>;

/** What one who reads an answer is told while it comes. */
export interface Hearing {
  /** Each event, in order. */
  onEvent: (event: Anthropic.RawMessageStreamEvent) => void;
  /** What the API counts so far, whenever it says so: an answer that breaks off then has used that much. */
  onUsage: (usage: Usage) => void;
}

/** Reads the events of one answer to its end. Throws where they end before the message does. */
export async function readMessage(
  events: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  { onEvent, onUsage }: Hearing,
): Promise<MessageEnd> {
  let said: MessageEnd | null = null;
  let isWhole = false;
  let counted: Counted = { input: 0, output: 0, read: 0, written: 0, hour: 0, searches: 0 };
  const tell = (told: ToldUsage): Usage => {
    counted = countedNow(counted, told);
    const usage = usageOf(counted);
    if (told != null) onUsage(usage);
    return usage;
  };
  for await (const event of events) {
    if (event.type === 'message_start') {
      said = { stop_reason: event.message.stop_reason, usage: tell(event.message.usage) };
    } else if (event.type === 'message_delta' && said !== null) {
      // it has some of the fields
      said = { stop_reason: event.delta.stop_reason, usage: tell(event.usage as ToldUsage) };
    } else if (event.type === 'message_stop') isWhole = true;
    onEvent(event);
  }
  if (said === null || !isWhole) throw new AnthropicError('the stream ended before the message did');
  return said;
}

/**
 * What is counted so far: totals, of which those that do not change are left out. What a proxy begins with may be an
 * estimate of all that is read: where the question is told anew with caches that rise, it is parted into them.
 */
function countedNow(before: Counted, told: ToldUsage): Counted {
  const highest = highestOf(before, told);
  const rises = highest.read > before.read || highest.written > before.written;
  const input = higher(0, told?.input_tokens);
  if (!rises || input === 0) return highest;
  const written = toldOr(highest.written, told?.cache_creation_input_tokens);
  const hour = toldOr(highest.hour, told?.cache_creation?.ephemeral_1h_input_tokens);
  const read = toldOr(highest.read, told?.cache_read_input_tokens);
  return { ...highest, input, read, written, hour: Math.min(hour, written) };
}

/** What an event says of a total, which is of any type, else what is known of it. */
function toldOr(total: number, told: unknown): number {
  return typeof told === 'number' && told >= 0 ? told : total;
}

function highestOf(before: Counted, told: ToldUsage): Counted {
  return {
    input: higher(before.input, told?.input_tokens),
    output: higher(before.output, told?.output_tokens),
    read: higher(before.read, told?.cache_read_input_tokens),
    written: higher(before.written, told?.cache_creation_input_tokens),
    hour: higher(before.hour, told?.cache_creation?.ephemeral_1h_input_tokens),
    searches: higher(before.searches, told?.server_tool_use?.web_search_requests),
  };
}

function usageOf({ input, output, read, written, hour, searches }: Counted): Usage {
  return {
    input,
    output,
    cache_read: read,
    cache_write_5m: written - hour,
    cache_write_1h: hour,
    ...(searches === 0 ? {} : { searches }),
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
