import type { Json, JsonObject } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';

/** What OpenAI documents for strict mode; it refuses a request whose schema has another word. Read in February 2026. */
const WORDS = new Set([
  ...['type', 'enum', 'const', 'anyOf', 'title', 'description'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems'],
  ...['pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]);

/** Tells whether a schema is one of an object, which is all that OpenAI takes. */
export function isObjectSchema(schema: Json): boolean {
  return isObject(schema) && schema['type'] === 'object';
}

/**
 * Tells whether OpenAI's strict mode takes a schema: every object is closed and requires all that it has, and each part
 * says its type in words of the documented subset. What comes is checked by us in either case.
 */
export function isStrictSchema(schema: Json): boolean {
  return isObject(schema) && isObjectSchema(schema) && schema['anyOf'] === undefined && isStrict(schema);
}

function isStrict(schema: Json): boolean {
  if (!isObject(schema) || !Object.keys(schema).every((word) => WORDS.has(word))) return false;
  const { type = [], anyOf, items } = schema;
  const types = [type].flat();
  const isOfObject = types.includes('object') || membersOf(schema).length > 0;
  if (isOfObject ? !isClosed(schema) : types.length === 0 && anyOf === undefined) return false;
  if (types.includes('array') && items === undefined) return false;
  const choices = Array.isArray(anyOf) ? anyOf : [];
  return [...choices, ...(items === undefined ? [] : [items]), ...membersOf(schema)].every(isStrict);
}

function membersOf({ properties = {} }: JsonObject): Json[] {
  return isObject(properties) ? Object.values(properties) : [];
}

function isClosed({ properties = {}, required, additionalProperties }: JsonObject): boolean {
  const names = isObject(properties) ? Object.keys(properties) : [];
  return additionalProperties === false && Array.isArray(required) && names.every((name) => required.includes(name));
}
