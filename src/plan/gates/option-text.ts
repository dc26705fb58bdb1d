import type { Json } from '../values/json.js';
import { safeLine } from '../text/safe-text.js';

/** An option as people read and type it: a text as it is, anything else as JSON. */
export function optionText(option: Json): string {
  return safeLine(typeof option === 'string' ? option : JSON.stringify(option));
}
