import type { Gate } from '../../../plan/gates/gate.js';
import { optionText } from '../../../plan/gates/option-text.js';
import type { Json } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import { jsonTextFault } from '../../../plan/values/json-text-fault.js';
import { refusal, usageError } from '../../exit-codes.js';
import { readGivenFile } from '../../read-given.js';
import type { Terminal } from '../../terminal.js';

/**
 * What a typed answer means to a gate: one of its options as they are shown, else the JSON that it is, where that fits
 * the schema or the text does not. Throws a refusal for a gate that takes no answer, and for an option that is none.
 */
export async function answerValue(text: string, gate: Gate): Promise<Json> {
  const { options, kind, schema } = gate;
  if (options !== undefined) {
    const chosen = options.find((option) => optionText(option) === text.trim());
    if (chosen !== undefined) return chosen;
    const all = options.map((option) => `\`${typeof option === 'string' ? option : JSON.stringify(option)}\``);
    throw refusal(`Gate \`${gate.path}\` takes one of ${all.join(', ')}, not \`${text}\`.`);
  }
  if (kind !== 'ask')
    throw refusal(
      `Gate \`${gate.path}\` is approved or rejected: it asks for no answer.`,
      'Use `perdure approve` or `perdure reject`.',
    );
  if (schema === undefined || (isObject(schema) && schema['type'] === 'string')) return text;
  const value = parsed(text);
  if (typeof value === 'string') return value;
  const { checkValue } = await import('../../../activities/values/output-schema.js');
  const fits = (one: Json): boolean => 'value' in checkValue(one, schema);
  return !fits(value) && fits(text) ? text : value;
}

/** A text that is no JSON is taken as it is: the run says whether it fits. */
function parsed(text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // JSON.parse gives nothing else
  } catch {
    return text;
  }
  const fault = jsonTextFault(text, value);
  if (fault !== null) throw refusal(`Expected an answer without ${fault}.`);
  return value;
}

/**
 * The content of a gate as a file has it: text where it was text, else JSON. Throws a usage error for a file that is
 * neither.
 */
export async function editedContent(file: string, isText: boolean, terminal: Terminal): Promise<Json> {
  return toContent(await readGivenFile(file, 'the file of `--edit`', terminal), isText, `the file of \`--edit\``);
}

/** Edited text as the content it stands for. */
export function toContent(text: string, isText: boolean, name: string): Json {
  if (isText) return text.replace(/\r?\n$/, '');
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // JSON.parse gives nothing else
  } catch (error) {
    throw usageError(
      `Expected ${name} to be JSON, as what the gate shows: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const fault = jsonTextFault(text, value);
  if (fault !== null) throw usageError(`Expected ${name} to be JSON without ${fault}.`);
  return value;
}
