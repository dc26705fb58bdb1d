import { expect, it } from 'vitest';
import { rawChanges } from '../../../src/store/git/raw-diff.js';

const ONE = '1'.repeat(40);
const TWO = '2'.repeat(40);
const NONE = '0'.repeat(40);

it.each([
  ['nothing', '', []],
  [
    'a file that changed',
    `:100644 100755 ${ONE} ${TWO} M\0a b.txt\0`,
    [{ path: 'a b.txt', before: { mode: '100644', hash: ONE }, after: { mode: '100755', hash: TWO } }],
  ],
  [
    'one that came and one that went',
    `:000000 100644 ${NONE} ${ONE} A\0new\nline\0:120000 000000 ${TWO} ${NONE} D\0:old\0`,
    [
      { path: 'new\nline', before: null, after: { mode: '100644', hash: ONE } },
      { path: ':old', before: { mode: '120000', hash: TWO }, after: null },
    ],
  ],
  ['an entry whose name was cut off', `:100644 100644 ${ONE} ${TWO} M`, []],
])('tells of %s', (_title, told, changes) => {
  expect(rawChanges(told)).toEqual(changes);
});
