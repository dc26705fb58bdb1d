import type { ModelChoice } from '../../../plan/agents/model-choice.js';
import { BYTES_PER_TOKEN } from '../../../plan/budget/price.js';
import { utf8Bytes } from '../../../plan/values/json.js';
import { messageBytes } from '../protocol/message.js';
import type { Block, ModelMessage } from '../protocol/message.js';

/** Tokens of a model's context window, by the beginning of its name; the first that fits holds. */
const WINDOWS: [RegExp, number][] = [
  [/^claude-(?:fable|opus|sonnet|haiku)-5/, 1_000_000],
  [/^claude-/, 200_000],
];
/** Ollama loads a model for as much as it is told; this is the most that we tell. */
const LOCAL_WINDOW = 131_072;
const OTHER_WINDOW = 128_000;
/** What the instruction, the tools and the answer may take of it. */
const SHARE = 0.75;
/** Arguments of earlier calls that are shorter stay. */
const KEPT_ARGUMENTS = 1_024;

/** Bytes that the messages of a conversation may have. */
export function windowBytes({ provider, model }: Pick<ModelChoice, 'provider' | 'model'>): number {
  const tokens =
    provider === 'ollama' ? LOCAL_WINDOW : (WINDOWS.find(([name]) => name.test(model))?.[1] ?? OTHER_WINDOW);
  return Math.floor(tokens * SHARE * BYTES_PER_TOKEN);
}

/**
 * Keeps a conversation within its window: from the beginning on, results of tools are replaced by a note, and so are
 * long arguments of calls; what was said stays, and so does the last message. The part that is cleared grows in steps
 * of half a window, so that from one turn to the next the beginning mostly stays as it was, and cached. The same
 * messages always give the same, whoever asks.
 */
export function fitWindow(messages: ModelMessage[], bytes: number): ModelMessage[] {
  const half = Math.max(1, Math.floor(bytes / 2));
  const total = bytesOf(messages);
  let fitted = messages;
  for (let clear = half; bytesOf(fitted) > bytes && clear < total + half; clear += half)
    fitted = clearUpTo(messages, clear);
  return fitted;
}

function bytesOf(messages: ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + messageBytes(message), 0);
}

function clearUpTo(messages: ModelMessage[], bytes: number): ModelMessage[] {
  let left = bytes;
  return messages.map((message, index) => {
    const isCleared = left > 0 && index < messages.length - 1 && 'blocks' in message;
    left -= messageBytes(message);
    return isCleared ? { role: message.role, blocks: message.blocks.map(clearedBlock) } : message;
  });
}

function clearedBlock(block: Block): Block {
  switch (block.kind) {
    case 'result':
      return { ...block, text: '(This result is no longer shown, to save room. Call the tool again if you need it.)' };
    case 'call':
      return utf8Bytes(JSON.stringify(block.input)) <= KEPT_ARGUMENTS
        ? block
        : { ...block, input: { cleared: 'These arguments are no longer shown, to save room.' } };
    default:
      return block;
  }
}
