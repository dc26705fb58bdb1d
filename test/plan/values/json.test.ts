import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/plan/values/json.js';
import { canonicalJson, isObject, toText, utf8Bytes } from '../../../src/plan/values/json.js';
import type { StoredValue } from '../../../src/plan/values/value.js';
import { NOTHING, bare, fitsInline, inline, isStored, previewOf } from '../../../src/plan/values/value.js';

const REF = `sha256:${'a'.repeat(64)}` as const;

describe('canonical JSON', () => {
  it.each<[unknown, string]>([
    [{ b: 1, a: [2, { d: 3, c: 4 }] }, '{"a":[2,{"c":4,"d":3}],"b":1}'],
    [{ a: undefined, b: null }, '{"b":null}'],
    [{ a: undefined }, '{}'],
    [{}, '{}'],
    [[], '[]'],
    [[undefined, null, 1], '[null,null,1]'],
    [undefined, 'null'],
    [null, 'null'],
    ['a"b', '"a\\"b"'],
    [{ 'ü"': 1 }, '{"ü\\"":1}'],
    [{ 10: 'x', 9: 'y', B: 1, a: 2 }, '{"10":"x","9":"y","B":1,"a":2}'],
    [NaN, 'null'],
    [true, 'true'],
  ])('of %j is %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('is JSON of the same value, in whatever order its keys were written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value as Json))).toBe(text); // what fast-check makes is JSON
      }),
      { numRuns: 200 },
    );
  });
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

describe('the bytes of a text', () => {
  it.each([
    '',
    'a',
    '\u007f',
    '\u0080',
    'ä',
    '\u07ff',
    '\u0800',
    '界',
    '\uffff',
    '👨‍👩‍👧',
    '\u{10ffff}',
    'a\ud800',
    '\udc00a',
    '\udc00界',
  ])('are those of UTF-8: %j', (text) => {
    expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
  });

  it('are those of UTF-8 for every whole text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a value', () => {
  it('is an object only where it has names', () => {
    expect([{}, [], null, 'a', undefined].map(isObject)).toEqual([true, false, false, false, false]);
  });

  it.each<[Json | undefined, string]>([
    [undefined, ''],
    ['a\n', 'a\n'],
    ['', ''],
    [null, 'null'],
    [1.5, '1.5'],
    [{ a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
  ])('%j stands in a text as %j', (value, text) => {
    expect(toText(value)).toBe(text);
  });

  it('travels by itself up to 512 bytes of JSON', () => {
    expect(fitsInline('x'.repeat(510))).toBe(true);
    expect(fitsInline('x'.repeat(511))).toBe(false);
    expect(fitsInline('ä'.repeat(255))).toBe(true);
    expect(fitsInline('ä'.repeat(256))).toBe(false);
  });

  it('shows its head in at most 240 characters', () => {
    expect(previewOf('x'.repeat(240))).toBe('x'.repeat(240));
    expect(previewOf('x'.repeat(241))).toBe(`${'x'.repeat(239)}…`);
    expect(previewOf({ a: 'b' })).toBe('{"a":"b"}');
    expect(previewOf(['y'.repeat(300)])).toBe(`["${'y'.repeat(237)}…`);
  });

  it('goes to activities without its preview', () => {
    const stored: StoredValue = { ref: REF, bytes: 900, preview: 'head' };
    expect(bare(stored)).toEqual({ ref: REF, bytes: 900 });
    expect(bare({ ...stored, length: 0 })).toEqual({ ref: REF, bytes: 900, length: 0 });
    expect(bare(inline('a'))).toEqual({ value: 'a' });
    expect(isStored(stored)).toBe(true);
    expect(isStored(inline({ ref: REF }))).toBe(false);
    expect(isStored(NOTHING)).toBe(false);
  });
});
