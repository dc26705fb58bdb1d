import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearest } from '../../../src/compiler/problems/did-you-mean.js';

it.each([
  ['reveiw', ['build', 'review', 'reviews'], 'review'],
  ['Revew', ['build', 'review'], 'review'],
  ['a', ['b', 'abc'], 'b'],
  ['wirte-the-raport-ofthe-week', ['write-the-report-of-the-week'], 'write-the-report-of-the-week'],
  ['xxxxxxxxxxxxxxxxxxxxxxxx', ['build', 'xxxxxxxxxxxx', 'yyyyyyyyyyyyyyyyyyyyyyyy'], null],
])('%s was meant for the one of %j that is nearest: %s', (name, known, near) => {
  expect(nearest(name, known)).toBe(near);
});

it('of a long name a few characters are mistyped, and no third of it', () => {
  const name = 'deploy-to-the-staging-environment';
  expect(nearest(name, ['deploy-to-the-testing-environment'])).toBe('deploy-to-the-testing-environment');
  expect(nearest(name, ['deploy-to-production-environment'])).toBeNull();
});

it('a name is near as far as its insertions, deletions, substitutions and swaps of neighbours go', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(word, word, (name, known) => {
      const most = Math.min(5, Math.max(1, Math.floor(name.length / 3)));
      expect(nearest(name, [known])).toBe(distance(name, known) <= most ? known : null);
    }),
    { numRuns: 2_000 },
  );
});

/** Optimal string alignment distance, as it is defined. */
function distance(a: string, b: string): number {
  const rows: number[][] = [];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 0; row <= a.length; row++) {
    rows.push([]);
    for (let column = 0; column <= b.length; column++) {
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const least = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1),
        row > 1 && column > 1 && isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
      );
      rows[row]?.push(row + column === 0 ? 0 : least);
    }
  }
  return at(a.length, b.length);
}
