import type { RehearsedFile } from '../../plan/builds/rehearsed-build.js';
import { rehearsedFile, rehearsedTasks } from '../../plan/builds/rehearsed-build.js';
import type { Json } from '../../plan/values/json.js';
import { promptWithin } from '../values/provenance.js';
import type { RecordedAnswer } from '../../plan/agents/recorded-answers.js';
import type { Block } from './protocol/message.js';
import { blocksOf, textOf } from './protocol/message.js';
import type { CallContext, ModelAnswer, ModelProvider } from './protocol/provider.js';
import { NO_USAGE } from './protocol/provider.js';
import { standIn } from './stand-in.js';
import { cutTo } from '../../plan/text/cut-to.js';

/** The head of the prompt that a stand-in shows. */
const PROMPT_CHARACTERS = 200;

/**
 * Answers in the place of a model (decision 10): what a test has recorded, what the definition says, else a stand-in
 * that names the step, shows the head of what would have been asked, and satisfies the step's schema. Agents of a build
 * write the files of its script.
 */
export const rehearsalProvider: ModelProvider = {
  call({ system, messages, schema, tools = [] }, { rehearsal, onText }) {
    const prompt = messages[0] === undefined ? system : promptWithin(textOf(messages[0]));
    if (rehearsal.recorded !== null) return Promise.resolve(again(rehearsal.recorded, onText));
    const file = rehearsal.text === null && tools.some(({ name }) => name === WRITE) ? rehearsedFile(prompt) : null;
    if (file !== null && messages.length === 1)
      return Promise.resolve(again({ text: '', calls: [write(file)] }, onText));
    const text =
      rehearsal.text ??
      (file === null ? standInFor(rehearsal, prompt, schema) : saidOf(file, messages.flatMap(blocksOf)));
    onText(text);
    return Promise.resolve({ text, stop: 'end', usage: NO_USAGE });
  },
  cost: () => 0,
};

/** What was once answered. */
function again(
  { text, calls = [] }: Pick<RecordedAnswer, 'text' | 'calls'>,
  onText: (text: string) => void,
): ModelAnswer {
  onText(text);
  const words: Block[] = text === '' ? [] : [{ kind: 'text', text }];
  const blocks = [...words, ...calls.map((call): Block => ({ kind: 'call', ...call }))];
  return { text, stop: calls.length > 0 ? 'tools' : 'end', usage: NO_USAGE, blocks };
}

const WRITE = 'write_file';

function write({ path, content }: RehearsedFile): NonNullable<RecordedAnswer['calls']>[number] {
  return { id: 'rehearsal', name: WRITE, input: { path, content } };
}

/** What came of the one call that there was. */
function saidOf({ path }: RehearsedFile, blocks: Block[]): string {
  const refused = blocks.find((block) => block.kind === 'result' && block.is_error);
  return refused?.kind === 'result'
    ? `This is a rehearsal: no model was asked. \`${path}\` was not written: ${refused.text}`
    : `This is a rehearsal: no model was asked. \`${path}\` was written.`;
}

function standInFor({ path, tasks, spec }: CallContext['rehearsal'], prompt: string, schema: Json): string {
  if (tasks !== undefined) return JSON.stringify(rehearsedTasks(tasks, spec));
  const asked = prompt.replaceAll(/\s+/g, ' ').trim();
  const head = cutTo(asked, PROMPT_CHARACTERS);
  if (schema === null)
    return `This is a rehearsal: no model was asked in step \`${path}\`. It would have been asked: ${head}`;
  return JSON.stringify(standIn(schema, `rehearsal of ${path}: ${head}`));
}
