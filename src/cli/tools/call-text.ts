import { join } from 'node:path';
import type { JsonObject } from '../../plan/values/json.js';
import { yamlText } from '../../compiler/text/yaml-text.js';

/** A definition that we write ourselves: it is in no file. */
export interface WrittenDefinition {
  file: string;
  text: string;
}

/** Where its workflow would be, from the project's root. */
export const WRITTEN_FILE = join('definitions', 'workflows', 'call-tool.yml');

/**
 * A workflow of the one call, with these names given. The values come as its input `values`, in this order: as data,
 * whatever is in them (I4).
 */
export function callOf(tool: string, names: string[], root: string): WrittenDefinition {
  const inputs: JsonObject = Object.fromEntries(names.map((name, index) => [name, `\${values[${index}]}`]));
  const step = { id: 'call', tool, ...(names.length === 0 ? {} : { inputs }) };
  return {
    file: join(root, WRITTEN_FILE),
    text: yamlText({
      name: 'call-tool',
      ...(names.length === 0 ? {} : { inputs: { values: { type: 'list', default: [] } } }),
      steps: [step],
    }),
  };
}
