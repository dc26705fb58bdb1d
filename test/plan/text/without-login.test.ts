import { expect, it } from 'vitest';
import { withoutLogin, withoutLogins } from '../../../src/plan/text/without-login.js';

it.each([
  ['https://ana:se@cret@host:1/v1', 'https://host:1/v1'],
  ['https://token@host/@scope/x?q=a@b', 'https://host/@scope/x?q=a@b'],
  ['ana:secret@host:11434', 'host:11434'],
  ['http://ana:sec/ret@host:1/v1', 'http://host:1/v1'],
  ['ana:sec ret@host', 'host'],
  ['http://host/v1', 'http://host/v1'],
  [`https://ana:${'x'.repeat(2_000)}@host/v1`, 'https://host/v1'],
  [`ana:${'x'.repeat(2_000)}@host`, 'host'],
])('an address is told without its user and password: %s', (address, told) => {
  expect(withoutLogin(address)).toBe(told);
});

it('a text keeps all that is in no address', () => {
  expect(withoutLogins('of `http://ana:x@host/v1` failed, tell ana@host: (bob:y@other)')).toBe(
    'of `http://host/v1` failed, tell ana@host: (other)',
  );
});
