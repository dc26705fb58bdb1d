import { parse } from 'yaml';
import { createSource } from '../compiler/problems/source.js';
import { TOO_DEEP } from '../compiler/text/node.js';
import { warnOfSpelling } from '../compiler/text/written-number.js';
import { lexYaml } from '../compiler/text/yaml-lexemes.js';
import { parseYaml } from '../compiler/text/yaml.js';
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

/** What is said of numbers in such data that mean another spelling, `3.10` and `0755`, with where each stands. */
export function respelledNumbers(text: string): { path: string; message: string }[] {
  const found: { path: string; message: string }[] = [];
  const node = parseYaml({ source: createSource('', '', text), start: 0, end: text.length }, () => undefined, false);
  if (node !== null) warnOfSpelling(node, ({ at, message }) => found.push({ path: at.path, message }));
  return found;
}
