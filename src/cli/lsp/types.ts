import type { Node } from '../../compiler/text/node.js';
import { memberOf } from '../../compiler/text/node.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';

/** The JSON Schema of what a step yields; null where nothing is said of it. */
export function outputSchema(step: Node): Json {
  const schema = memberOf(step, 'schema')?.value ?? null;
  if (schema !== null) return schema;
  const set = memberOf(step, 'set')?.value;
  if (isObject(set))
    return { type: 'object', properties: Object.fromEntries(Object.keys(set).map((key) => [key, {}])) };
  return null;
}
