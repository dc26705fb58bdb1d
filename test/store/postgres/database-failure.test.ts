import { expect, it } from 'vitest';
import { databaseFailure } from '../../../src/store/postgres/database.js';

function failure(code: string, words = 'words of it'): ReturnType<typeof databaseFailure> {
  return databaseFailure(Object.assign(new Error(words), { code }), 'db.example:5432/store');
}

it.each([
  'CERT_HAS_EXPIRED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('says of a certificate that is not trusted what to do: %s', (code) => {
  expect(failure(code)).toMatchObject({ passes: true });
  expect(failure(code).message).toContain(`certificate that this machine trusts (${code}: words of it)`);
  expect(failure(code).message).toContain('?sslrootcert=');
});

it.each([
  ['P0001', 'remove a trigger'],
  ['26000', 'let a pooler'],
  ['3F000', 'from a backup'],
])('tries nothing again that only a person mends, and says how: %s', (code, fix) => {
  expect(failure(code)).toMatchObject({ passes: false });
  expect(failure(code).message).toMatch(/said: words of it\. /);
  expect(failure(code).message).toContain(fix);
});

it('says of what may pass where to look', () => {
  expect(failure('XX000')).toMatchObject({ passes: true });
  expect(failure('XX000').message).toMatch(/cannot do it now \(XX000: words of it\)\. .* log of the database/);
});
