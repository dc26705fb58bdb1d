import fs, { symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kindOf } from '../../../src/compiler/text/disk.js';
import { createProject } from '../helpers/temporary-project.js';

// What only another user's folder or a broken disk would answer, and never to a superuser.
const { lstatSync } = fs;
/** Of its forms the one that is used. */
const answering = (path: string, options: object): unknown => {
  const code = /\/(E[A-Z]+)$/.exec(path)?.[1];
  if (code !== undefined) throw Object.assign(new Error(code), { code });
  return lstatSync(path, options);
};
beforeAll(() => {
  Object.assign(fs, { lstatSync: answering });
  syncBuiltinESMExports();
});
afterAll(() => {
  Object.assign(fs, { lstatSync });
  syncBuiltinESMExports();
});

it.each([
  ['file', 'file'],
  ['folder', 'folder'],
  ['link', 'other'],
  ['nothing', 'missing'],
  ['x'.repeat(300), 'missing'],
  ['file/below', 'missing'],
  ['link/below', 'missing'],
  ['nul\0', 'missing'],
  ['folder/EACCES', 'other'],
  ['folder/EIO', 'other'],
])('what is at %j is %s', (path, kind) => {
  const root = createProject({ file: '', 'folder/x': '' });
  symlinkSync('link', join(root, 'link'));
  expect(kindOf(join(root, path))).toBe(kind);
});
