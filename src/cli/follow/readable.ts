import { stringify } from 'yaml';
import type { Json } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';

/**
 * What a gate shows, as people read it: JSON with texts of several lines in it, a workflow that an agent made say, is
 * YAML, where they stand as lines. Its indent keeps them in their place: none can pass for something beside it.
 */
export function readable(json: Json): string {
  return typeof json !== 'string' && hasLines(json)
    ? stringify(json, { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false }).trimEnd()
    : toText(json);
}

function hasLines(json: Json): boolean {
  if (typeof json === 'string') return json.trimEnd().includes('\n');
  return typeof json === 'object' && json !== null && Object.values(json).some(hasLines);
}
