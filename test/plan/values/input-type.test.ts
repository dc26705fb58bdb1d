import { describe, expect, it } from 'vitest';
import type { InputType } from '../../../src/plan/values/input-type.js';
import { INPUT_PHRASES, isOfInputType, passedFault } from '../../../src/plan/values/input-type.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { Value } from '../../../src/plan/values/value.js';
import { inline } from '../../../src/plan/values/value.js';

const LIST: Json = [1];
const OBJECT: Json = { a: 1 };
const VALUES: Json[] = ['', 1.5, 2, false, LIST, OBJECT, null];
const FITTING: Record<InputType, Json[]> = {
  string: [''],
  number: [1.5, 2],
  integer: [2],
  boolean: [false],
  list: [LIST],
  object: [OBJECT],
  any: VALUES,
};
const TYPES = Object.keys(FITTING) as InputType[]; // the keys of a record of them
const stored = (more: { length?: number; type?: 'string' } = {}): Value => ({
  ...{ ref: `sha256:${'a'.repeat(64)}`, bytes: 9_000 },
  ...more,
});

describe('an input', () => {
  it.each(TYPES)('of the type %s takes such values, and no others', (type) => {
    expect(VALUES.filter((value) => isOfInputType(value, type))).toEqual(FITTING[type]);
  });

  it.each(TYPES)('of the type %s that a step passes on may be nothing, and what it says in words', (type) => {
    for (const value of VALUES) {
      const fits = type === 'string' || value === null || FITTING[type].includes(value);
      expect(passedFault('n', inline(value), type)).toBe(
        fits ? null : `Expected the input \`n\` to be ${INPUT_PHRASES[type]}, got \`${JSON.stringify(value)}\`.`,
      );
    }
  });

  it.each<[InputType, list: boolean, text: boolean, object: boolean]>([
    ['string', true, true, true],
    ['any', true, true, true],
    ['list', true, false, false],
    ['object', false, false, true],
    ['number', false, false, false],
    ['integer', false, false, false],
    ['boolean', false, false, false],
  ])('of the type %s may be a stored list: %s, a text: %s, and an object: %s', (type, list, text, object) => {
    const fault = `Expected the input \`n\` to be ${INPUT_PHRASES[type]}, got a value of 9000 bytes.`;
    expect(passedFault('n', stored({ length: 0 }), type)).toBe(list ? null : fault);
    expect(passedFault('n', stored({ type: 'string' }), type)).toBe(text ? null : fault);
    expect(passedFault('n', stored(), type)).toBe(object ? null : fault);
  });
});
