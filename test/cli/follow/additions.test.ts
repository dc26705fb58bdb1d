import { expect, it } from 'vitest';
import { additionsIn, additionWords } from '../../../src/cli/follow/additions.js';

it.each<[Record<string, string>, string]>([
  [{ usd: '2' }, '$2.00'],
  [{ steps: '1', minutes: '1.5' }, '1 step, 1.5 minutes'],
  [{ minutes: '10', tokens: '5000', usd: '0.5', steps: '3' }, '$0.500, 5,000 tokens, 3 steps, 10 minutes'],
])('what is added to the limits of a run is read and told: %j is %s', (typed, words) => {
  expect(additionWords(additionsIn((what) => typed[what] ?? null))).toBe(words);
});

it.each([
  ['steps', '1.5', 'a positive whole number'],
  ['usd', '0', 'a positive number'],
  ['usd', '-1', 'a positive number'],
  ['usd', '1e3', 'a positive number'],
  ['tokens', '10000000000000', 'a positive whole number'],
])('no run is given %s of %s', (what, typed, expected) => {
  expect(() => additionsIn((asked) => (asked === what ? typed : null))).toThrow(
    `Expected \`--add-${what}\` to be ${expected}, got \`${typed}\`.`,
  );
});
