import { isAt } from '../../compiler/problems/source.js';
import type { Member, Node } from '../../compiler/text/node.js';
import { memberOf, placesIn } from '../../compiler/text/node.js';
import { parseText } from '../../compiler/expressions/template.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { everyStep } from './read-document.js';
import { ownOf } from '../../plan/values/own.js';

/** The JSON Schema of what a step yields; null where nothing is said of it. */
export function outputSchema(step: Node): Json {
  const schema = memberOf(step, 'schema')?.value ?? null;
  if (schema !== null) return schema;
  const set = memberOf(step, 'set')?.value;
  if (isObject(set))
    return { type: 'object', properties: Object.fromEntries(Object.keys(set).map((key) => [key, {}])) };
  return null;
}

/** A reference as it is written in a text. */
export interface Written {
  path: (string | number)[];
  source: string;
}

/** The reference that stands at an offset of a text. */
export function referenceAt(node: Node, offset: number): Written | null {
  const { value } = node;
  if (typeof value !== 'string' || !value.includes('${')) return null;
  const placeOf = placesIn(node);
  let found: Written | null = null;
  const resolve = ({ path, source, start, length }: Written & { start: number; length: number }): null => {
    if (isAt(placeOf(start, length), offset)) found = { path, source };
    return null;
  };
  parseText(value, { operators: true, resolve }, () => null);
  return found;
}

/** What a reference means: a step's output, a field of its result, or an input, and where that is. */
export interface Meaning {
  /** Where it is defined. */
  at: Node | Member['key'];
  /** Its JSON Schema, or what is declared of the input; null where nothing is said of it. */
  schema: Json;
}

/** What a reference of a workflow or an agent means; null where that is not said in the file. */
export function meaningOf(root: Node, { path: [first, second, third, ...deep] }: Written): Meaning | null {
  if (first === 'steps') {
    const step = everyStep(root).find((one) => memberOf(one, 'id')?.value === second);
    const id = step && memberOf(step, 'id');
    if (step === undefined || id == null) return null;
    if (third !== 'output') return { at: id, schema: { type: NUMBERS.has(String(third)) ? 'number' : 'string' } };
    return { at: id, schema: schemaAt(outputSchema(step), deep) };
  }
  const rest = [second, third, ...deep].filter((segment) => segment !== undefined);
  const step = everyStep(root).find((one) => memberOf(one, 'output')?.value === first);
  const output = step && memberOf(step, 'output');
  if (step !== undefined && output != null) return { at: output, schema: schemaAt(outputSchema(step), rest) };
  return inputOf(root, String(first));
}

const NUMBERS = new Set(['duration_ms', 'step_index']);

/** A declared input: of a map by its key, of a list by its `name`. */
function inputOf(root: Node, name: string): Meaning | null {
  const inputs = memberOf(root, 'inputs');
  const member = inputs?.members?.get(name);
  if (member !== undefined) return { at: member.key, schema: member.node.value };
  const item = inputs?.items?.find((one) => memberOf(one, 'name')?.value === name);
  const at = item && memberOf(item, 'name');
  return at == null ? null : { at, schema: item?.value ?? null };
}

function schemaAt(schema: Json, path: (string | number)[]): Json {
  let now = schema;
  for (const segment of path) {
    const inner: Json = isObject(now) ? (now[typeof segment === 'number' ? 'items' : 'properties'] ?? null) : null;
    now = typeof segment === 'number' ? inner : isObject(inner) ? (ownOf(inner, segment) ?? null) : null;
  }
  return now;
}

/** A schema in one line, as people write types: `{count: number, issues: list of string}`. */
export function typeText(schema: Json, depth = 0): string {
  if (!isObject(schema)) return 'any';
  const { type, enum: named, items, properties } = schema;
  if (Array.isArray(named)) return named.map((one) => JSON.stringify(one)).join(' | ');
  if (isObject(properties) && depth < 3) {
    const fields = Object.entries(properties).map(([key, field]) => `${key}: ${typeText(field, depth + 1)}`);
    return `{${fields.join(', ')}}`;
  }
  if (isObject(items ?? null)) return `list of ${typeText(items ?? null, depth + 1)}`;
  return Array.isArray(type) ? type.map(String).join(' | ') : typeof type === 'string' ? type : 'any';
}
