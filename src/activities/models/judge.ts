import type { Json } from '../../plan/values/json.js';
import type { Agent, AgentStep } from '../../plan/step.js';
import { cleanTasks } from '../../plan/builds/clean-tasks.js';
import type { TaskRules } from '../../plan/builds/task-rules.js';
import { planFaults } from '../../plan/builds/task-rules.js';
import { stepFailure } from '../failures.js';
import { cutText } from '../processes/output-capture.js';
import type { Checked } from '../values/output-schema.js';
import { checkOutput } from '../values/output-schema.js';
import type { ModelAnswer } from './protocol/provider.js';

const KB = 1024;
/** How often it is told what is wrong with an answer before the step fails. */
export const ASK_AGAIN = 2;

/**
 * The output that an answer holds, or what is wrong with it so that it can be asked again. Throws where that is no use.
 */
export function judge(answer: ModelAnswer, step: AgentStep, agent: Agent, model: string): Checked {
  requireEnd(answer, model);
  const checked = checkText(answer.text, step, agent);
  if ('value' in checked || answer.word === undefined) return checked;
  return { errors: [...checked.errors, `its provider ended it for \`${answer.word}\``] };
}

function checkText(text: string, { schema, tasks }: AgentStep, { max_output_kb }: Agent): Checked {
  if (schema !== null)
    return tasks === undefined ? checkOutput(bareJson(text), schema) : checkTasks(bareJson(text), schema, tasks);
  if (text.trim() === '') return { errors: ['it is empty'] };
  return { value: cutText(text, max_output_kb * KB) satisfies Json };
}

/** What is wrong with the last answer of a step, in a sentence. */
export function faultOf({ schema }: Pick<AgentStep, 'schema'>, errors: string[]): string {
  // Of a text the first thing wrong is that it is empty.
  if (schema === null) return `${['The answer is empty', ...errors.slice(1)].join('; ')}.`;
  return `The answer does not satisfy \`schema\`: ${errors.join('; ')}.`;
}

function checkTasks(text: string, schema: Json, rules: TaskRules): Checked {
  const checked = checkOutput(cleanText(text, rules), schema);
  const errors = 'value' in checked ? planFaults(checked.value, rules) : [];
  return errors.length === 0 ? checked : { errors };
}

function requireEnd({ stop, usage, text, word }: ModelAnswer, model: string): void {
  switch (stop) {
    case 'end':
    case 'tools':
      return;
    case 'paused':
      throw stepFailure(
        'answer-truncated',
        `\`${model}\` paused again and again in the middle of its answer, for tools of its provider. Ask for less.`,
      );
    case 'truncated':
      throw stepFailure(
        'answer-truncated',
        `\`${model}\` reached the limit of ${usage.output} tokens before its answer was complete. Ask for less.`,
      );
    case 'context-full':
      throw stepFailure(
        'answer-truncated',
        `The prompt and the answer of \`${model}\` do not fit its context window. Shorten the prompt or its inputs.`,
      );
    case 'refused':
      throw stepFailure(
        'answer-refused',
        `\`${model}\` refuses to answer${word === undefined ? '' : ` (\`${word}\`)`}` +
          `${text.trim() === '' ? '' : `: ${text.trim().slice(0, 500)}`}.`,
      );
  }
}

function cleanText(text: string, rules: TaskRules): string {
  try {
    return JSON.stringify(cleanTasks(JSON.parse(text) as Json, rules));
  } catch {
    return text; // its schema's check says what is wrong
  }
}

const FENCE = '```';

/** Models like to put JSON into a code fence, also when asked not to. */
export function bareJson(text: string): string {
  const whole = text.trim();
  const end = whole.indexOf('\n');
  const isFenced = [FENCE, `${FENCE}json`].includes(whole.slice(0, Math.max(end, 0)).trimEnd());
  return isFenced && whole.endsWith(FENCE) ? whole.slice(end + 1, -FENCE.length).trim() : text;
}
