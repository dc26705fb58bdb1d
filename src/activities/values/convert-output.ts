import type { Json } from '../../plan/values/json.js';
import type { OutputConversion } from '../../plan/step.js';
import { stepFailure } from '../failures.js';
import { cutTo } from '../../plan/text/cut-to.js';

/** What float() of Python reads, but for its words and underscores. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const SHOWN_CHARACTERS = 200;

/**
 * An output as its step wants it: trimmed, or trimmed and read as a number, where `11.0` is 11. Throws
 * `output-invalid` for a text that is none, or that JSON could not carry exactly. What is no text stays as it is.
 */
export function convert(output: Json, conversion: OutputConversion | undefined): Json {
  if (conversion === undefined || typeof output !== 'string') return output;
  const text = output.trim();
  if (conversion === 'trimmed') return text;
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value;
  const shown = cutTo(text, SHOWN_CHARACTERS);
  throw stepFailure('output-invalid', `cannot convert output to number: '${shown}'`);
}
