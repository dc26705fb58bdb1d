import { expect, it } from 'vitest';
import { isHash, sha256 } from '../../src/store/hash.js';

const OF_ABC = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

it('names a text and the same bytes by SHA-256', () => {
  expect([sha256('abc'), sha256(Buffer.from('abc'))]).toEqual([OF_ABC, OF_ABC]);
  expect(sha256('ü')).toBe(sha256(Buffer.from('ü', 'utf8')));
});

it.each<[unknown, boolean]>([
  [OF_ABC, true],
  [`${OF_ABC}0`, false],
  [`${OF_ABC}\n`, false],
  [`x${OF_ABC}`, false],
  [OF_ABC.slice(0, -1), false],
  [OF_ABC.toUpperCase(), false],
  [OF_ABC.replace('sha256:', ''), false],
  [[OF_ABC], false],
  [null, false],
])('%j is such a name: %s', (text, is) => {
  expect(isHash(text)).toBe(is);
});
