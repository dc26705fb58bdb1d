import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  identityOf,
  isSameFolder,
  makeEach,
  makeFolders,
  movedRoot,
  openRoot,
  requireRoot,
} from '../../../src/store/folders/root.js';
import { temporaryFolder } from '../helpers/harness.js';

it('folders are made for their owner alone, and the first that was is told', async () => {
  const folder = await temporaryFolder();
  for (const make of [makeEach, makeFolders]) {
    const at = join(folder, make.name);
    expect(make(join(at, 'a/b'))).toBe(at);
    expect(make(join(at, 'a/b/c'))).toBe(join(at, 'a/b/c'));
    expect(make(join(at, 'a/b'))).toBeUndefined();
    for (const made of [at, join(at, 'a/b/c')]) expect(statSync(made).mode & 0o777).toBe(0o700);
    writeFileSync(join(at, 'file'), '');
    expect(() => make(join(at, 'file/below'))).toThrow('ENOTDIR');
  }
});

it('a folder that somebody else was faster to make is no failure, and one that nobody can make is', async () => {
  const folder = await temporaryFolder();
  // As when somebody was faster: it is not there at the look, and is at the try.
  symlinkSync('nowhere', join(folder, 'there'));
  expect(makeEach(join(folder, 'there'))).toBe(join(folder, 'there'));
  openRoot(folder);
  expect(makeFolders(join(folder, 'there'))).toBe(join(folder, 'there'));
  expect(() => makeEach('/proc/none')).toThrow('ENOENT');
  // As when the store was removed between the look and the try.
  openRoot('/proc');
  expect(() => makeFolders('/proc/none')).toThrow('The state folder `/proc` was moved or removed');
});

it('two folders are the same by what they are, not by where', async () => {
  const folder = await temporaryFolder();
  for (const name of ['a', 'b']) mkdirSync(join(folder, name));
  const [a, b] = [identityOf(join(folder, 'a')), identityOf(join(folder, 'b'))];
  renameSync(join(folder, 'a'), join(folder, 'c'));
  expect([isSameFolder(a, identityOf(join(folder, 'c'))), isSameFolder(a, b)]).toEqual([true, false]);
  expect([identityOf(join(folder, 'a')), isSameFolder(a, null), isSameFolder(null, null)]).toEqual([
    null,
    false,
    false,
  ]);
  expect(isSameFolder(a, { dev: (a?.dev ?? 0) + 1, ino: a?.ino ?? 0 })).toBe(false);
});

it('a store that is open is written to in its own folder, and where that is gone nowhere', async () => {
  const folder = await temporaryFolder();
  const state = join(folder, 'state');
  openRoot(state);
  // Nothing is there yet, so any folder may be made.
  expect(makeFolders(join(state, 'values'))).toBe(state);
  openRoot(state);
  expect(makeFolders(join(state, 'values/ab/cd'))).toBe(join(state, 'values/ab'));
  expect(makeFolders(join(state, 'values/ab/cd'))).toBeUndefined();
  expect(makeFolders(state)).toBeUndefined();
  expect([movedRoot(join(state, 'values')), movedRoot(join(folder, 'other'))]).toEqual([null, null]);
  expect(statSync(join(state, 'values/ab/cd')).mode & 0o777).toBe(0o700);
  writeFileSync(join(state, 'file'), '');
  expect(() => makeFolders(join(state, 'file/below'))).toThrow('ENOTDIR');

  renameSync(state, join(folder, 'moved'));
  for (const stands of ['nothing', 'another folder']) {
    if (stands === 'another folder') mkdirSync(state);
    for (const write of [makeFolders, requireRoot])
      expect(() => write(join(state, 'values/new')), stands).toThrow(
        expect.objectContaining({
          message: `The state folder \`${state}\` was moved or removed: nothing is written there.`,
          passes: true,
          type: 'internal',
        }),
      );
    expect(movedRoot(join(folder, 'moved/values'))).toBeNull();
  }
  rmSync(state, { recursive: true });
  renameSync(join(folder, 'moved'), state);
  requireRoot(join(state, 'values'));
});
