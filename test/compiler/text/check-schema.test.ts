import { describe, expect, it } from 'vitest';
import { checkValue } from '../../../src/activities/values/output-schema.js';
import { compileText } from '../helpers/temporary-project.js';
import type { Json } from '../../../src/plan/values/json.js';

/** The problems of a JSON Schema, one line each. */
function problemsOfSchema(schema: Json): string[] {
  const { problems } = compileText(`steps:\n  - {agent: scanner, schema: ${JSON.stringify(schema)}}\n`);
  return problems.map(
    ({ code, message, suggestion }) => `${code} ${message}${suggestion === null ? '' : ` ${suggestion}`}`,
  );
}

describe('a schema that no answer could be held against', () => {
  it.each<Json>([
    { $ref: '#/$defs/x' },
    { $ref: '#name' },
    { $ref: '#' },
    { $ref: '#/$defs/x', $defs: { x: { $ref: '#/$defs/x' } } },
    { properties: { a: { $ref: '#/properties/b' } } },
    { allOf: [{ $ref: '#' }] },
    { anyOf: [false, { $ref: '#/$defs/x' }], $defs: { x: { not: { $ref: '#' } } } },
    {
      $ref: '#/$defs/x',
      $defs: { x: { if: true, then: { $ref: '#/$defs/y' } }, y: { oneOf: [{ $ref: '#/$defs/x' }] } },
    },
    { allOf: [{ $anchor: 'here', allOf: [{ $ref: '#here' }] }] },
    { $ref: '#/allOf/1', allOf: [true] },
    { dependentRequired: { a: 'b' } },
    { dependentRequired: 'a' },
    { dependentRequired: { a: ['b', 'b'] } },
    { unevaluatedProperties: 4 },
    { contentSchema: 5 },
    { title: 3 },
    { properties: { a: { description: ['x'] } } },
    { readOnly: 3 },
    { deprecated: 'x' },
    { examples: 5 },
    { format: 5 },
    { $comment: 4 },
    { $anchor: 'a b' },
    { nullable: true, enum: ['a'] },
    { nullable: 'x', type: 'string' },
    { id: 'x', type: 'object' },
  ])('is refused before it is asked for: %j', (schema) => {
    expect(() => checkValue('x', schema)).toThrow(/JSON Schema|call stack/);
    expect(problemsOfSchema(schema)).toEqual([expect.stringMatching(/^invalid-schema /)]);
  });

  it.each<Json>([
    { $ref: '#/properties/a', properties: { a: { type: 'string' } } },
    { $defs: { 'a/b': { type: 'string' } }, $ref: '#/$defs/a~1b' },
    { $defs: { 'a b': { type: 'string' } }, $ref: '#/$defs/a%20b' },
    { $defs: { a: { $anchor: 'name', type: 'string' } }, $ref: '#name' },
    { properties: { next: { $ref: '#' } } },
    { anyOf: [{ $ref: '#/$defs/x' }, { $ref: '#/$defs/x' }], $defs: { x: { properties: { next: { $ref: '#' } } } } },
    { items: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/x' }] }, $defs: { x: { allOf: [{ items: { $ref: '#' } }] } } },
    { nullable: true, type: 'string' },
    { title: 'x', examples: ['x'], format: 'date', deprecated: false },
    { note: 'x', unit: 'mm', 'x-order': 1, example: 'x' },
  ])('is not one that can be used: %j', (schema) => {
    expect(checkValue('x', schema)).toEqual({ value: 'x' });
    expect(problemsOfSchema(schema)).toEqual([]);
  });
});

describe('a schema that no answer could keep', () => {
  it.each<[Json, string]>([
    [{ minimum: 5, maximum: 3 }, 'Expected `maximum` to be at least `minimum`, 5: no value keeps both.'],
    [{ exclusiveMinimum: 3, maximum: 3 }, 'Expected `maximum` to be above `exclusiveMinimum`, 3: no value keeps both.'],
    [
      { items: { minLength: 4, maxLength: 3 } },
      'Expected `maxLength` to be at least `minLength`, 4: no value keeps both.',
    ],
    [
      { properties: { a: true }, required: ['b'], additionalProperties: false },
      'Expected one of the `properties`, got `b`: `additionalProperties` allows no other.',
    ],
  ])('is refused: %j', (schema, message) => {
    expect(problemsOfSchema(schema)).toEqual([`invalid-schema ${message}`]);
  });

  it.each<Json>([
    { minimum: 3, maximum: 3 },
    { minItems: 1 },
    { required: ['b'], additionalProperties: true },
    { patternProperties: { b: true }, required: ['b'], additionalProperties: false },
  ])('is not this one: %j', (schema) => {
    expect(problemsOfSchema(schema)).toEqual([]);
  });
});

describe('a keyword that is misspelled', () => {
  it.each([
    ['propertis', { propertis: { a: { type: 'string' } } }, 'properties'],
    ['require', { require: ['a'] }, 'required'],
    ['item', { items: { item: { type: 'string' } } }, 'items'],
    ['min', { type: 'integer', min: 5 }, 'minimum'],
    ['minlength', { minlength: 5 }, 'minLength'],
  ])('is told, for nothing is held to it: %s', (key, schema, meant) => {
    expect(problemsOfSchema(schema)).toEqual([
      `unknown-key JSON Schema has no \`${key}\`: nothing is held to it. did you mean \`${meant}\`?`,
    ]);
  });
});
