import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { ownOf } from '../../plan/values/own.js';
import { stepFailure } from '../failures.js';

/** Schemas may refer to themselves: below this depth objects are empty. */
const DEPTH = 12;
/** Optional parts are left out below the first of these depths at which the value is not too large. */
const OPTIONAL_DEPTHS = [DEPTH / 2, 3, 2, 1, 0];
/** A schema is foreign text, and one whose parts refer to each other doubles with each level: so many are followed. */
const MOST_VALUES = 10_000;
const MOST_CHARACTERS = 1_000_000;
/** So many schemas stand for each other. */
const MOST_LEVELS = 200;

/** A value by a schema would be larger than anybody wants to see. */
class TooLarge extends Error {}

/**
 * A value that satisfies a JSON Schema as far as one can be made without knowing what it is for; texts hold `text`.
 * Throws `request-refused` where it would be too large.
 */
export function standIn(schema: Json, text: string): Json {
  for (const optional of OPTIONAL_DEPTHS) {
    try {
      return build(schema, { root: schema, text, depth: 0, level: 0, optional, left: { values: MOST_VALUES } });
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
    }
  }
  throw stepFailure(
    'request-refused',
    `A rehearsal cannot make an answer by this schema: it would have more than ${MOST_VALUES} values, or a text of ` +
      `more than ${MOST_CHARACTERS} characters.`,
  );
}

interface Making {
  root: Json;
  text: string;
  depth: number;
  /** Of schemas in each other, also those that stand for the same value. */
  level: number;
  /** The depth below which optional parts are left out. */
  optional: number;
  /** Values that may still be made; all that is made together has one. */
  left: { values: number };
}

function build(given: Json, outer: Making): Json {
  const making = { ...outer, level: outer.level + 1 };
  if ((making.left.values -= 1) < 0 || making.level > MOST_LEVELS) throw new TooLarge();
  const schema = resolve(given, making.root);
  if (!isObject(schema)) return making.text;
  const fixed = schema['const'] ?? first(schema['enum']) ?? first(schema['examples']) ?? schema['default'];
  if (fixed !== undefined) return fixed;
  const whole = composed(schema, making.root);
  return whole === null ? ofType(schema, making) : build(whole, making);
}

/** One schema for one of several, or for all of them; null where there is nothing to choose from or to join. */
function composed(schema: JsonObject, root: Json): JsonObject | null {
  const choice = first(schema['oneOf']) ?? first(schema['anyOf']);
  if (choice !== undefined) return merge(schema, [choice]);
  const { allOf } = schema;
  if (!Array.isArray(allOf)) return null;
  const parts = allOf.map((part) => resolve(part, root));
  return merge(schema, parts);
}

function ofType(schema: JsonObject, making: Making): Json {
  switch (typeOf(schema)) {
    case 'object':
      return objectFor(schema, making);
    case 'array':
      return listFor(schema, making);
    case 'integer':
    case 'number':
      return numberFor(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return textFor(schema, making.text);
  }
}

function first(list: Json | undefined): Json | undefined {
  return Array.isArray(list) ? list[0] : undefined;
}

/** Follows a reference inside the schema. */
function resolve(schema: Json, root: Json): Json {
  const reference = isObject(schema) ? schema['$ref'] : undefined;
  if (typeof reference !== 'string' || !reference.startsWith('#')) return schema;
  let found: Json | undefined = root;
  for (const part of reference
    .slice(1)
    .split('/')
    .filter((part) => part !== '')) {
    found = isObject(found) ? ownOf(found, part) : undefined;
  }
  return found ?? true;
}

/** One schema that demands what all parts do, as far as objects go. */
function merge(schema: JsonObject, parts: Json[]): JsonObject {
  const { oneOf: _one, anyOf: _any, allOf: _all, ...own } = schema;
  return parts.filter(isObject).reduce<JsonObject>((merged, part) => {
    const properties = { ...asObject(merged['properties']), ...asObject(part['properties']) };
    const required = [...asList(merged['required']), ...asList(part['required'])];
    return {
      ...merged,
      ...part,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
    };
  }, own);
}

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const asList = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const asNumber = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);

function typeOf(schema: JsonObject): Json | undefined {
  const { type } = schema;
  if (type !== undefined) return Array.isArray(type) ? type[0] : type;
  if ('properties' in schema || 'required' in schema) return 'object';
  return 'items' in schema ? 'array' : undefined;
}

function objectFor(schema: JsonObject, making: Making): JsonObject {
  const properties = asObject(schema['properties']);
  const required = new Set(asList(schema['required']).map(String));
  const names = [...new Set([...Object.keys(properties), ...required])].filter(
    (name) => required.has(name) || making.depth < making.optional,
  );
  if (making.depth > DEPTH) return {};
  return Object.fromEntries(
    names.map((name) => [name, build(ownOf(properties, name) ?? true, { ...making, depth: making.depth + 1 })]),
  );
}

function listFor(schema: JsonObject, making: Making): Json[] {
  const heads = asList(schema['prefixItems']).map((item) => build(item, { ...making, depth: making.depth + 1 }));
  const least =
    asNumber(schema['minItems']) ?? (asNumber(schema['maxItems']) === 0 || making.depth >= making.optional ? 0 : 1);
  if (least > making.left.values) throw new TooLarge();
  const more = Array.from({ length: Math.max(0, least - heads.length) }, (_, index) =>
    build(schema['items'] ?? true, {
      ...making,
      text: index === 0 ? making.text : `${making.text} (${index + 1})`,
      depth: making.depth + 1,
    }),
  );
  return [...heads, ...more];
}

function numberFor(schema: JsonObject): number {
  const step = asNumber(schema['multipleOf']) ?? 1;
  const above = asNumber(schema['exclusiveMinimum']);
  const least = asNumber(schema['minimum']) ?? (above === null ? null : above + step);
  const below = asNumber(schema['exclusiveMaximum']);
  const most = asNumber(schema['maximum']) ?? (below === null ? null : below - step);
  const wanted = least ?? Math.min(step, most ?? step);
  return Math.ceil(wanted / step) * step;
}

const FORMATS = new Map<Json | undefined, string>([
  ['date-time', '2026-01-01T00:00:00Z'],
  ['date', '2026-01-01'],
  ['time', '00:00:00Z'],
  ['email', 'rehearsal@example.com'],
  ['uri', 'https://example.com/rehearsal'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
]);

function textFor(schema: JsonObject, text: string): string {
  const formatted = FORMATS.get(schema['format']);
  if (formatted !== undefined) return formatted;
  const least = asNumber(schema['minLength']) ?? 0;
  if (least > MOST_CHARACTERS) throw new TooLarge();
  return [...text.padEnd(least, '.')].slice(0, asNumber(schema['maxLength']) ?? Infinity).join('');
}
