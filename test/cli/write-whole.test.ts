import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolders } from '../../src/cli/make-folders.js';
import { writeWhole } from '../../src/cli/write-whole.js';
import { temporaryFolder } from '../store/helpers/harness.js';

it('a file that is there stays, and is replaced only where that is asked', async () => {
  const at = await temporaryFolder();
  const file = join(at, 'below', 'a.yml');
  writeWhole(file, 'one');
  expect(() => writeWhole(file, 'two')).toThrow(/EEXIST/);
  expect(readFileSync(file, 'utf8')).toBe('one');
  writeWhole(file, 'three', { replace: true });
  expect([readFileSync(file, 'utf8'), readdirSync(join(at, 'below'))]).toEqual(['three', ['a.yml']]);
});

it('what could not be written leaves what was there and no half of it, and says which file', async () => {
  const at = await temporaryFolder();
  const file = join(at, 'a.yml');
  mkdirSync(file);
  writeFileSync(join(file, 'inside'), '');
  let error: unknown = null;
  try {
    writeWhole(file, 'two', { replace: true });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ path: file });
  expect(readdirSync(at)).toEqual(['a.yml']);
});

it('folders are made one by one, and none where a file system makes none', async () => {
  const at = await temporaryFolder();
  makeFolders(join(at, 'a', 'b', 'c'));
  makeFolders(join(at, 'a', 'b', 'c'));
  writeFileSync(join(at, 'file'), '');
  expect(readdirSync(join(at, 'a', 'b'))).toEqual(['c']);
  expect(() => makeFolders(join(at, 'file'))).toThrow(/EEXIST/);
  expect(() => makeFolders(join(at, 'file', 'below'))).toThrow(/ENOTDIR/);
});

it.runIf(existsSync('/proc/self'))('a folder below `/proc` is refused at once', () => {
  expect(() => makeFolders('/proc/none/below')).toThrow(/ENOENT/);
});
