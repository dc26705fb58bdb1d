import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isShortHash, longHash, shortHash } from '../../../src/plan/packing/short-hash.js';
import { isShortStored, longValue, shortValue } from '../../../src/plan/packing/short-value.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { Hash, Value } from '../../../src/plan/values/value.js';
import { inline } from '../../../src/plan/values/value.js';

const hashes = Array.from(
  { length: 200 },
  (_, index): Hash => `sha256:${createHash('sha256').update(String(index)).digest('hex')}`,
);
const REF = hashes[0]!; // there are 200

describe('a hash in history', () => {
  it('has 43 characters, and comes back as it was', () => {
    for (const hash of [...hashes, `sha256:${'0'.repeat(64)}`, `sha256:${'f'.repeat(64)}`] as Hash[]) {
      const short = shortHash(hash);
      expect(short).toBe(Buffer.from(hash.slice(7), 'hex').toString('base64url'));
      expect(isShortHash(short)).toBe(true);
      expect(longHash(short)).toBe(hash);
    }
  });

  it.each<Hash>(['sha256:x', `sha256:${'A'.repeat(64)}`, `sha256:${'a'.repeat(63)}`, `sha256:${'a'.repeat(65)}`])(
    'that is none stays as it is: %s',
    (text) => {
      expect(shortHash(text)).toBe(text);
      expect(longHash(shortHash(text))).toBe(text);
    },
  );

  it.each([
    '',
    'a'.repeat(42),
    'a'.repeat(44),
    `${'a'.repeat(42)}.`,
    `${'a'.repeat(43)}\n`,
    `sha256:${'a'.repeat(36)}`,
  ])('is not %j', (text) => {
    expect(isShortHash(text)).toBe(false);
  });
});

describe('a stored value in history', () => {
  it.each<[string, Value]>([
    ['by name and size', { ref: REF, bytes: 900 }],
    ['with its head', { ref: REF, bytes: 900, preview: 'x' }],
    ['with its length', { ref: REF, bytes: 900, length: 3 }],
  ])('is short %s, and comes back as it was', (_, value) => {
    const short = JSON.parse(JSON.stringify(shortValue(value))) as ReturnType<typeof shortValue>; // what JSON carries
    expect(isShortStored(short as Json)).toBe(true); // it is JSON
    expect(longValue(short)).toEqual(value);
    expect(short).toHaveLength(Object.keys(value).length > 2 ? 3 : 2);
  });

  it('is told from others, which stay as they are', () => {
    const name = shortHash(REF);
    expect(shortValue(inline([name, 5]))).toEqual(inline([name, 5]));
    expect(longValue(inline('x'))).toEqual(inline('x'));
    const none: Json[] = [
      null,
      name,
      {},
      [],
      [name],
      [name, 5, {}, 1],
      [name, '5'],
      [name, 5, null],
      [name, 5, []],
      [5, 5],
      ['x', 5],
      [[name], 5],
    ];
    for (const value of none) expect(isShortStored(value)).toBe(false);
    expect(isShortStored([name, 5, {}])).toBe(true);
  });
});
