import type { AskedText } from '../../activities/attempt/call-journal.js';
import type { ModelMessage } from '../../activities/models/protocol/message.js';
import { readConversation } from '../../activities/turns/transcript.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { JournalEntry } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import { loadValue } from '../../store/transcript.js';
import type { Attribute } from './span.js';

/** Longer texts are cut: receivers refuse requests of many megabytes, and one has many spans. */
const MOST_CHARACTERS = 16 * 1024;

/** What was asked and answered, where somebody wants that in traces. What the store has lost is left out. */
export async function contentAttributes(
  { asked, response }: JournalEntry,
  store: Store,
): Promise<Record<string, Attribute>> {
  if (asked === undefined)
    return isObject(response) ? { 'gen_ai.tool.call.result': cut(response['content'] ?? null) } : {};
  try {
    const question = (await loadValue(asked, store)) as unknown as AskedText; // `askOnce` put it there
    const { system, messages } =
      'transcript' in question ? await readConversation(store, question.transcript) : question;
    return {
      ...(system === '' ? {} : { 'gen_ai.system_instructions': cut([{ type: 'text', content: system }]) }),
      'gen_ai.input.messages': cut(messages.map(messageOf)),
      'gen_ai.output.messages': cut(answerIn(response)),
    };
  } catch {
    return {};
  }
}

function messageOf(message: ModelMessage): Json {
  const parts: Json[] =
    'blocks' in message
      ? message.blocks.map((block) => block as unknown as Json) // blocks are JSON
      : [{ type: 'text', content: message.text }];
  return { role: message.role, parts };
}

function answerIn(response: Json): Json {
  if (!isObject(response)) return [];
  const { blocks, text } = response;
  const parts = Array.isArray(blocks) ? blocks : [{ type: 'text', content: text ?? '' }];
  return [{ role: 'assistant', parts }];
}

function cut(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}
