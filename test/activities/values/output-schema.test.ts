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

describe('a schema that is made to hold up whoever reads it', () => {
  const levels = Array.from({ length: 30 }, (_, index) => index + 1);
  const doubling: JsonObject = {
    properties: { x: { $ref: '#/$defs/d30' } },
    $defs: {
      d0: { const: 1 },
      ...Object.fromEntries(
        levels.map((level) => {
          const below = { $ref: `#/$defs/d${level - 1}` };
          return [`d${level}`, { anyOf: [below, below] }];
        }),
      ),
    },
  };
  const SLOW_CHECK = 'The schema takes too long to hold this against it.';

  it.each<[string, Json, Json]>([
    ['doubles at each level', doubling, { x: 'no' }],
    ['compares each with each', { uniqueItems: true }, Array.from({ length: 50_000 }, (_, index) => ({ a: index }))],
  ])('is left when it %s', (_, schema, value) => {
    expect(checkValue(value, schema)).toEqual({ errors: [SLOW_CHECK] });
    expect(checkValue({ y: 1 }, schema)).toEqual({ value: { y: 1 } });
  });

  it('is no longer than it is written', () => {
    const part = Object.fromEntries(levels.map((level) => [`long name of a property ${level}`, { type: 'string' }]));
    const properties = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index) => [`p${index}`, { $ref: '#/$defs/part' }]),
    );
    expect(checkValue({ p1: 1 }, { properties, $defs: { part: { properties: part } } })).toEqual({ value: { p1: 1 } });
  });

  it.each<JsonObject>([{ allOf: [{ $ref: '#' }] }, { anyOf: [{ type: 'string' }, { $ref: '#' }] }])(
    'says nothing when it leads back to itself: %j',
    (schema) => {
      expect(() => checkValue({}, schema)).toThrow('it leads back to itself without end');
      expect(checkArguments({}, schema)).toEqual({
        errors: ["the tool's schema cannot be used: it leads back to itself without end"],
      });
    },
  );

  it('promises nothing: it answers', () => {
    expect(checkValue('x', { $async: true, type: 'object' })).toEqual({ errors: ['The value must be object'] });
  });
});

it('arguments are refused, and nothing is thrown, where the schema of the tool is none', () => {
  const { errors } = checkArguments({ a: 1 }, { properties: { a: { $ref: '#/nowhere' } } }) as { errors: string[] };
  expect(errors).toEqual([expect.stringMatching(/^the tool's schema cannot be used: can't resolve reference/)]);
});

it('what is wrong is told in short', () => {
  const { errors } = checkValue({ ['x'.repeat(10_000)]: 1 }, { additionalProperties: false }) as { errors: string[] };
  expect(errors.join('')).toHaveLength(500);
});

describe('JSON that cannot be passed on', () => {
  it.each([
    ['{"list": [1, 1e400]}', 'numbers as large as 1e309'],
    ['{"id": 12345678901234567891}', 'whole numbers beyond 9007199254740991, which only a text carries exactly'],
    ['[-9007199254740992]', 'whole numbers beyond 9007199254740991, which only a text carries exactly'],
    [`${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'more than 500 levels'],
    ['{"a": 1, "b": {"c": 1, "c": 2}}', 'a key that is written twice, such as `b.c`'],
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
