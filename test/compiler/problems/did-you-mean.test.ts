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
