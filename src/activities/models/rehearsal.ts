import type { Json } from '../../plan/values/json.js';
import { promptWithin } from '../values/provenance.js';
import type { RecordedAnswer } from '../../plan/agents/recorded-answers.js';
import type { Block } from './protocol/message.js';
import { textOf } from './protocol/message.js';
import type { ModelAnswer, ModelProvider } from './protocol/provider.js';
import { NO_USAGE } from './protocol/provider.js';
import { standIn } from './stand-in.js';

/** The head of the prompt that a stand-in shows. */
const PROMPT_CHARACTERS = 200;

/**
 * Answers in the place of a model (decision 10): what a test has recorded, what the definition says, else a stand-in
 * that names the step, shows the head of what would have been asked, and satisfies the step's schema.
 */
export const rehearsalProvider: ModelProvider = {
  call({ system, messages, schema }, { rehearsal, onText }) {
    const prompt = messages[0] === undefined ? system : promptWithin(textOf(messages[0]));
    if (rehearsal.recorded !== null) return Promise.resolve(again(rehearsal.recorded, onText));
    const text = rehearsal.text ?? standInFor(rehearsal.path, prompt, schema);
    onText(text);
    return Promise.resolve({ text, stop: 'end', usage: NO_USAGE });
  },
  cost: () => 0,
};

/** What was once answered. */
function again({ text, calls = [] }: RecordedAnswer, onText: (text: string) => void): ModelAnswer {
  onText(text);
  const words: Block[] = text === '' ? [] : [{ kind: 'text', text }];
  const blocks = [...words, ...calls.map((call): Block => ({ kind: 'call', ...call }))];
  return { text, stop: calls.length > 0 ? 'tools' : 'end', usage: NO_USAGE, blocks };
}

function standInFor(path: string, prompt: string, schema: Json): string {
  const asked = prompt.replaceAll(/\s+/g, ' ').trim();
  const head = asked.length <= PROMPT_CHARACTERS ? asked : `${asked.slice(0, PROMPT_CHARACTERS - 1)}…`;
  if (schema === null)
    return `This is a rehearsal: no model was asked in step \`${path}\`. It would have been asked: ${head}`;
  return JSON.stringify(standIn(schema, `rehearsal of ${path}: ${head}`));
}
