import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FilledAgain, makeReadable, removeAt, removeFolder } from '../../../src/store/folders/remove.js';

const NOBODY = 65_534;
/** A thread, in which mutants are tried, stays who it is. */
const isRoot = process.getuid?.() === 0 && isMainThread;
let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'perdure-remove-'));
  chmodSync(place, 0o777);
  // Root may do everything: as somebody else we are what we usually are.
  if (isRoot) process.seteuid?.(NOBODY);
});
afterEach(() => {
  if (isRoot) process.seteuid?.(0);
  rmSync(place, { recursive: true, force: true });
});

describe('a folder in which an agent has worked is removed', () => {
  it.each([0o000, 0o311, 0o500, 0o444])('though its rights are %o, and those of what is in it', async (mode) => {
    for (const path of ['left/inner/deep', 'kept']) mkdirSync(join(place, path), { recursive: true });
    for (const path of ['left/a', 'left/inner/b', 'left/inner/deep/c', 'kept/d']) writeFileSync(join(place, path), '');
    symlinkSync(join(place, 'kept'), join(place, 'left/inner/link'));
    for (const path of ['left/inner/deep', 'left/inner', 'left']) chmodSync(join(place, path), mode);
    await removeFolder(join(place, 'left'));
    expect(readdirSync(place)).toEqual(['kept']);
    expect(readdirSync(join(place, 'kept'))).toEqual(['d']);
  });

  it('however deep it is: deeper than any path may be long', async () => {
    execFileSync('python3', [
      '-c',
      "import os, sys; os.chdir(sys.argv[1])\nfor _ in range(500): os.mkdir('d' * 20); os.chdir('d' * 20)",
      place,
    ]);
    await removeFolder(join(place, 'd'.repeat(20)));
    expect(readdirSync(place)).toEqual([]);
  });

  it('and no file stays open, however often it is filled again, which ends some time', async () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let round = 0; round < 20; round += 1) {
      for (const path of ['filled/a/b/c/d', 'filled/e/f']) mkdirSync(join(place, path), { recursive: true });
      await expect(removeAt(place, 'filled', 2)).rejects.toThrow(
        new FilledAgain('`filled` cannot be removed: it is filled again and again.'),
      );
      await removeAt(place, 'filled', 20);
    }
    expect(readdirSync(place)).toEqual([]);
    expect(open()).toBeLessThan(before + 20);
  });

  it('where it is a file or a link itself, and where it is not there', async () => {
    writeFileSync(join(place, 'file'), '');
    symlinkSync('/usr', join(place, 'link'));
    for (const name of ['file', 'link', 'missing', 'missing/inner']) await removeFolder(join(place, name));
    expect(readdirSync(place)).toEqual([]);
    expect(existsSync('/usr/bin')).toBe(true);
  });
});

describe('a folder is made readable', () => {
  it.each([
    [0o000, 0o700],
    [0o055, 0o755],
    [0o2311, 0o2711],
  ])('for who owns it: of %o comes %o', async (before, after) => {
    mkdirSync(join(place, 'folder'));
    chmodSync(join(place, 'folder'), before);
    expect(await makeReadable(join(place, 'folder'))).toBe(true);
    expect(statSync(join(place, 'folder')).mode & 0o7777).toBe(after);
  });

  it('and nothing else is, nor what a link leads to', async () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    mkdirSync(join(place, 'folder'), { mode: 0o500 });
    writeFileSync(join(place, 'file'), '', { mode: 0o400 });
    symlinkSync('folder', join(place, 'link'));
    for (const name of ['file', 'link', 'missing', 'file/below'])
      expect([name, await makeReadable(join(place, name))]).toEqual([name, false]);
    expect(['folder', 'file'].map((name) => statSync(join(place, name)).mode & 0o777)).toEqual([0o500, 0o400]);
    await expect(makeReadable(join(place, 'x'.repeat(300)))).rejects.toThrow('ENAMETOOLONG');
    for (let look = 0; look < 30; look += 1) await makeReadable(join(place, 'folder'));
    expect(open()).toBeLessThan(before + 30);
  });
});
