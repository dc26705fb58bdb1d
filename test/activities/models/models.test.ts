import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ollamaUrl } from '../../../src/activities/models/http/ollama-address.js';
import { BUILT_IN_PRICES } from '../../../src/activities/models/choice/price-table.js';
import { costOf } from '../../../src/activities/models/choice/prices.js';
import { NO_USAGE } from '../../../src/activities/models/protocol/provider.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import { retryAfterMs } from '../../../src/activities/models/http/retry-after.js';
import { standIn } from '../../../src/activities/models/stand-in.js';

describe('what a server asks to wait', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each<[string, Record<string, string>, number | null]>([
    ['nothing', {}, null],
    ['seconds', { 'retry-after': '12' }, 12_000],
    ['a part of a second', { 'retry-after': '0.5' }, null],
    ['milliseconds first', { 'retry-after-ms': '1750', 'retry-after': '12' }, 1_750],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    ['a date that has passed', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, null],
    ['less than no time', { 'retry-after': '-5' }, null],
    ['no time at all', { 'retry-after': '0' }, null],
    ['a week', { 'retry-after': '604800' }, 86_400_000],
    ['nonsense', { 'retry-after': 'soon' }, null],
  ])('%s', (_what, headers, expected) => {
    expect(retryAfterMs((name) => headers[name] ?? null, now)).toBe(expected);
  });
});

describe('what a call costs', () => {
  const million = 1_000_000;
  it.each<[string, string, Partial<typeof NO_USAGE>, number | null]>([
    ['input and output', 'claude-opus-5-5', { input: million, output: million }, 24],
    [
      'each kind of cache',
      'claude-sonnet-5-5',
      { cache_read: million, cache_write_5m: million, cache_write_1h: million },
      6.6,
    ],
    ['a snapshot as its model', 'claude-haiku-4-5-20251001', { input: million }, 1],
    ['a short prompt of a model with tiers', 'claude-haiku-5-5', { input: 100_000, output: million }, 0.51],
    [
      'a long prompt of a model with tiers',
      'claude-haiku-5-5',
      { input: 50_000, cache_read: 60_000, output: million },
      2.528,
    ],
    ['nobody knows for an unknown model', 'gpt-9', { input: 1 }, null],
    ['nobody knows for an unknown part', 'claude-fable-5-2', { input: 1, cache_read: 1 }, null],
    ['nothing of an unknown part', 'claude-fable-5-2', { input: million }, 8],
  ])('%s', (_what, model, usage, usd) => {
    const cost = costOf(model, { ...NO_USAGE, ...usage });
    expect(cost === null ? null : Number(cost.toFixed(9))).toBe(usd);
  });

  it('is by the prices of the config first', () => {
    const price = { input: 1, output: 1, cache_read: null, cache_write_5m: null, cache_write_1h: null };
    expect(costOf('own-model', { ...NO_USAGE, input: million }, { 'own-model': price })).toBe(1);
  });

  it.each([
    ['nothing at a price of nothing', undefined, 0],
    ['that of a long prompt beside it', { input_tokens: 10, input: 2, output: 0 }, 2],
  ])('is, for what a free model reads from its cache, %s', (_what, above, usd) => {
    const free = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
    const prices = { free: above === undefined ? free : { ...free, above } };
    expect(costOf('free', { ...NO_USAGE, input: million, cache_read: 800, cache_write_5m: 5 }, prices)).toBe(usd);
  });

  it('has a price for every alias', () => {
    expect(Object.keys(BUILT_IN_PRICES)).toEqual(
      expect.arrayContaining(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-fable-5-2']),
    );
  });
});

it.each([
  [undefined, 'http://localhost:11434'],
  ['', 'http://localhost:11434'],
  ['127.0.0.1', 'http://127.0.0.1:11434'],
  ['gpu.example:8080', 'http://gpu.example:8080'],
  ['0.0.0.0:11434', 'http://127.0.0.1:11434'],
  ['https://ollama.example', 'https://ollama.example'],
  ['http://h:1/base/', 'http://h:1/base'],
  ['http://[bad', 'http://[bad'],
])('OLLAMA_HOST `%s` means %s', (host, url) => {
  expect(ollamaUrl(host)).toBe(url);
});

describe('a stand-in', () => {
  it.each([
    [
      {
        type: 'object',
        required: ['a'],
        properties: {
          a: { type: 'array', minItems: 2, uniqueItems: true, items: { type: 'string' } },
          b: { type: 'number', exclusiveMinimum: 3 },
        },
      },
    ],
    [
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', maxLength: 5 },
              children: { type: 'array', items: { $ref: '#/$defs/node' } },
            },
          },
        },
      },
    ],
    [{ oneOf: [{ type: 'string', format: 'date' }, { type: 'null' }] }],
    [{ allOf: [{ type: 'object', required: ['x'] }, { properties: { x: { const: 4 } } }] }],
    [{ type: ['integer', 'null'], minimum: 7, multipleOf: 5 }],
    [{ type: 'integer', maximum: -2 }],
    [{ required: ['free'] }],
    [{ type: 'array', maxItems: 0 }],
    [{ type: 'string', format: 'constructor' }],
    [{ type: 'string', minLength: 400 }],
    [true],
  ])('satisfies %j', (schema) => {
    const value = standIn(schema, 'rehearsal');
    expect(new Ajv2020({ strict: false, validateFormats: false }).validate(schema, value)).toBe(true);
  });

  const NODE = '#/$defs/node';
  const tree = (names: string[], required: string[]): JsonObject => ({
    $defs: {
      node: { type: 'object', required, properties: Object.fromEntries(names.map((name) => [name, { $ref: NODE }])) },
    },
    $ref: NODE,
  });
  const NAMES = Array.from({ length: 30 }, (_, index) => `name_${index}`);

  it('leaves out more of what is optional where a schema refers to itself by many names', () => {
    expect(standIn(tree(NAMES, []), 'rehearsal')).toMatchObject({ name_0: { name_1: {} } });
  });

  it.each<[string, JsonObject]>([
    ['refers to itself by many names', tree(NAMES, NAMES.slice(0, 3))],
    ['stands for itself', { $defs: { node: { anyOf: [{ $ref: NODE }] } }, $ref: NODE }],
    ['wants many items', { type: 'array', minItems: 1e9 }],
    ['wants more items than there can be', { type: 'array', minItems: 1e300 }],
    ['wants a long text', { type: 'string', minLength: 1e12 }],
  ])('refuses a schema that %s', (_what, schema) => {
    expect(() => standIn(schema, 'rehearsal')).toThrow('A rehearsal cannot make an answer by this schema');
  });
});
