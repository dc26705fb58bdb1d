import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from '../../../src/plan/values/wildcard.js';

describe('a pattern with stars', () => {
  it.each([
    ['', '', true],
    ['', 'a', false],
    ['a', 'a', true],
    ['a', 'b', false],
    ['a', '', false],
    ['a', 'ab', false],
    ['ab', 'a', false],
    ['*', '', true],
    ['*', 'anything\nat all', true],
    ['**', '', true],
    ['a**b', 'ab', true],
    ['git push*', 'git push', true],
    ['git push*', 'git push origin', true],
    ['git push*', 'git pul', false],
    ['*.ts', 'a.ts.ts', true],
    ['*.ts', 'ats', false],
    ['a*b*c', 'aXbXbXc', true],
    ['a*b*c', 'aXcXb', false],
    ['a*bc', 'abbc', true],
    ['a*bcd', 'abcbcd', true],
    ['a?c', 'abc', false],
    ['[a]', 'a', false],
  ])('%j is as %j: %s', (pattern, text, is) => {
    expect(matchesPattern(pattern, text)).toBe(is);
  });

  it('says what a regular expression would', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 }), (pattern, subject) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's').test(subject);
        expect(matchesPattern(pattern, subject)).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never takes long', () => {
    expect(matchesPattern(`${'*a'.repeat(200)}b`, 'a'.repeat(5_000))).toBe(false);
  });
});
