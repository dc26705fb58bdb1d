import type { Json } from './json.js';
import { isObject } from './json.js';
import type { Value } from './value.js';
import { isStored } from './value.js';

/**
 * What an input may be. `list` is JSON Schema's `array`, which the compiler reads as `list`; an `integer` is a number
 * without a fraction.
 */
export type InputType = 'string' | 'number' | 'integer' | 'boolean' | 'list' | 'object' | 'any';

/** What was expected, for each type, as it stands in a message. */
export const INPUT_PHRASES: Record<InputType, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  list: 'a list',
  object: 'an object',
  any: 'any value',
};

/** Tells whether a value is of a type. */
export function isOfInputType(value: Json, type: InputType): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'list':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
  }
}

/**
 * What is wrong with a value that a step passes on as an input; null where nothing is. A text may be made of any value,
 * and null is a value that nobody gave. Of a stored value only its size, its type and the length of a list are known.
 */
export function passedFault(name: string, value: Value, type: InputType): string | null {
  if (type === 'string' || type === 'any') return null;
  if (isStored(value)) {
    const { length, type: ofValue, bytes } = value;
    const fits =
      type === 'list' ? length !== undefined : type === 'object' && length === undefined && ofValue === undefined;
    return fits ? null : `Expected the input \`${name}\` to be ${INPUT_PHRASES[type]}, got a value of ${bytes} bytes.`;
  }
  if (value.value === null || isOfInputType(value.value, type)) return null;
  return `Expected the input \`${name}\` to be ${INPUT_PHRASES[type]}, got \`${JSON.stringify(value.value)}\`.`;
}
