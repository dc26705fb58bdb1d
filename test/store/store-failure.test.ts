import { describe, expect, it } from 'vitest';
import { StoreFailure, UNREACHED, errorCode, isNoSpace, storeFailure } from '../../src/store/store-failure.js';

const failed = (code: string): Error => Object.assign(new Error(`it says ${code}`), { code });

describe('what the file system says', () => {
  it.each([
    ...['ENOSPC', 'EDQUOT', 'EFBIG'].map((code) => [
      code,
      'store-full',
      `Cannot write \`/a/b\`: no space is left there (${code}). What is written waits for room: free some space.`,
      true,
    ]),
    ...['EACCES', 'EPERM', 'EROFS'].map((code) => [
      code,
      'internal',
      `Cannot write \`/a/b\`: expected a folder that this user may write, got ${code}.`,
      true,
    ]),
    ['ENOENT', 'internal', 'Cannot write `/a/b`: expected a place that is there, or can be made (ENOENT).', false],
    ['EISDIR', 'internal', 'Cannot write `/a/b`: expected a file, got a folder (EISDIR).', false],
    ['ENOTDIR', 'internal', 'Cannot write `/a/b`: expected folders on the way, got something else (ENOTDIR).', false],
    ['ELOOP', 'internal', 'Cannot write `/a/b`: expected a path whose links end (ELOOP).', false],
    ['ENAMETOOLONG', 'internal', 'Cannot write `/a/b`: expected a shorter path (ENAMETOOLONG).', false],
    ...['ESTALE', 'EIO', 'EMFILE', 'ENFILE', 'EAGAIN', UNREACHED].map((code) => [
      code,
      'internal',
      `Cannot write \`/a/b\`: ${code}.`,
      true,
    ]),
    ['EXDEV', 'internal', 'Cannot write `/a/b`: EXDEV.', false],
  ] as [string, string, string, boolean][])('%s is a failure `%s`: %s', (code, type, message, passes) => {
    const cause = failed(code);
    const failure = storeFailure(cause, 'write', '/a/b');
    expect(failure).toMatchObject({ name: 'StoreFailure', type, message, passes, cause });
    expect(isNoSpace(cause)).toBe(type === 'store-full');
  });

  it.each<[string, unknown, string]>([
    ['an error without a code', new Error('it is odd'), 'it is odd'],
    ['an error with a code that is no text', Object.assign(new Error('it is odd'), { code: 7 }), 'it is odd'],
    ['anything else', 'a text', 'a text'],
  ])('is told as it is, of %s', (_what, error, told) => {
    const failure = storeFailure(error, 'read', '/a');
    expect(failure.message).toBe(`Cannot read \`/a\`: ${told}.`);
    expect([failure.passes, errorCode(error), isNoSpace(error)]).toEqual([false, null, false]);
  });

  it('is of a place to read where something was to be read', () => {
    expect(storeFailure(failed('EACCES'), 'read', '/a').message).toBe(
      'Cannot read `/a`: expected a place that this user may read, got EACCES.',
    );
  });

  it('is told once', () => {
    const failure = new StoreFailure('store-missing', 'gone');
    expect(storeFailure(failure, 'write', '/a')).toBe(failure);
    expect([failure.name, failure.type, failure.message, failure.passes]).toEqual([
      'StoreFailure',
      'store-missing',
      'gone',
      false,
    ]);
  });

  it.each<[unknown, string | null]>([
    [failed('ENOENT'), 'ENOENT'],
    [{ code: 'ENOENT' }, null],
    [undefined, null],
  ])('has the code of an error alone: %j', (error, code) => {
    expect(errorCode(error)).toBe(code);
  });
});
