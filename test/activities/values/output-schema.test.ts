import { describe, expect, it } from 'vitest';
import { checkArguments, checkOutput, checkValue } from '../../../src/activities/values/output-schema.js';
import type { Json, JsonObject } from '../../../src/plan/values/json.js';

/** Backtracks for longer than anybody waits. */
const SLOW = '^(a+)+$';
const TEXT = `${'a'.repeat(60)}!`;

describe('an argument of a call that is null', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      prompt: { type: 'string' },
      model: { type: 'string' },
      'a/b~c': { type: 'integer' },
      kind: { $ref: '#/$defs/kind' },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      any: {},
      options: { type: 'object', properties: { depth: { type: 'integer' } } },
    },
    required: ['prompt'],
    additionalProperties: false,
    $defs: { kind: { enum: ['quick', 'deep'] } },
  };

  it.each<[what: string, args: JsonObject, checked: Json]>([
    ['that may be left out is not given', { prompt: 'x', model: null }, { value: { prompt: 'x' } }],
    [
      'counts so also by a schema that is referred to, and under any name',
      { prompt: 'x', kind: null, 'a/b~c': null },
      { value: { prompt: 'x' } },
    ],
    [
      'stays where null is a value of it',
      { prompt: 'x', note: null, any: null, model: null },
      { value: { prompt: 'x', note: null, any: null } },
    ],
    ['is a fault where it must be given', { prompt: null }, { errors: ['`/prompt` must be string'] }],
    [
      'is a fault where there is none of the name',
      { prompt: 'x', modle: null },
      { errors: ['The value must NOT have additional properties: "modle"'] },
    ],
    [
      'is a fault inside another',
      { prompt: 'x', options: { depth: null } },
      { errors: ['`/options/depth` must be integer'] },
    ],
    ['does not hide the faults of others', { prompt: 1, model: null }, { errors: ['`/prompt` must be string'] }],
  ])('%s', (_, args, checked) => {
    expect(checkArguments(args, schema)).toEqual(checked);
  });
});

describe('a pattern of a schema', () => {
  it.each<[string, Json, Json, Json]>([
    ['that fits passes', { type: 'string', pattern: '^[a-z]+$' }, 'abc', { value: 'abc' }],
    [
      'that does not fit is told',
      { type: 'string', pattern: '^[a-z]+$' },
      'ABC',
      { errors: ['The value must match pattern "^[a-z]+$"'] },
    ],
    ['is of Unicode', { type: 'string', pattern: '^.$' }, '😀', { value: '😀' }],
    [
      'is one of several',
      { properties: { a: { pattern: 'x' }, b: { pattern: 'y' } } },
      { a: 'x', b: 'x' },
      { errors: ['`/b` must match pattern "y"'] },
    ],
    [
      'of names of properties counts',
      { patternProperties: { '^n_': { type: 'number' } } },
      { n_a: 'one' },
      { errors: ['`/n_a` must be number'] },
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(checkValue(value, schema)).toEqual(expected);
  });

  it.each<[string, Json, Json]>([
    ['a text', { pattern: SLOW }, TEXT],
    ['each of many texts', { items: { pattern: SLOW } }, Array.from({ length: 1_000 }, () => TEXT)],
    ['the name of a property', { patternProperties: { [SLOW]: {} } }, { [TEXT]: 1 }],
  ])('that backtracks without end is stopped, over %s', (_, schema, value) => {
    expect(checkValue(value, schema)).toEqual({ errors: [`The pattern \`${SLOW}\` of the schema takes too long.`] });
  });

  it('has its whole time in every check', () => {
    const schema = { items: { pattern: SLOW } };
    expect(checkValue([TEXT], schema)).toHaveProperty('errors');
    expect(checkValue(['aaa'], schema)).toEqual({ value: ['aaa'] });
  });
});

describe('JSON that cannot be passed on', () => {
  it.each([
    ['{"list": [1, 1e400]}', 'numbers as large as 1e309'],
    ['{"id": 12345678901234567891}', 'whole numbers beyond 9007199254740991, which only a text carries exactly'],
    ['[-9007199254740992]', 'whole numbers beyond 9007199254740991, which only a text carries exactly'],
    [`${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'more than 500 levels'],
  ])('is refused, not changed: %.30s', (text, fault) => {
    expect(checkOutput(text, {})).toEqual({ errors: [`Expected JSON without ${fault}.`] });
  });

  it('is none that is large as people write it', () => {
    const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
    expect(checkOutput(deep, {})).toEqual({ value: JSON.parse(deep) as Json });
    const numbers = '[9007199254740991, -9007199254740991, 0.1, 1e-300, null]';
    expect(checkOutput(numbers, {})).toEqual({ value: JSON.parse(numbers) as Json });
  });
});
