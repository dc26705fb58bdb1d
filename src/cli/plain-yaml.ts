import { parse } from 'yaml';
import { TOO_DEEP } from '../compiler/text/node.js';
import { lexYaml } from '../compiler/text/yaml-lexemes.js';
import type { Json } from '../plan/values/json.js';

/**
 * Data in YAML that means what it would in JSON: no aliases, no keys twice, none but texts. Throws an error whose
 * message is one line.
 */
export function parsePlainYaml(text: string): Json {
  if (lexYaml(text).deepAt !== null) throw new Error(TOO_DEEP);
  try {
    // the core schema gives JSON
    return parse(text, { maxAliasCount: 0, stringKeys: true, uniqueKeys: true, schema: 'core' }) as Json;
  } catch (error) {
    throw new Error(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
}
