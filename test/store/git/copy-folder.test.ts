import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packPaths, unpackInto } from '../../../src/store/git/archive.js';
import { copyFolder } from '../../../src/store/git/copy-folder.js';

let root: string;
let from: string;
let to: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-copy-')));
  [from, to] = [join(root, 'from'), join(root, 'to')];
  for (const folder of [from, to]) mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, content = name): string {
  const path = join(from, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Files of a folder, each with its content or where it leads to. */
const all = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !lstatSync(join(folder, name)).isDirectory())
    .map((name) =>
      lstatSync(join(folder, name)).isSymbolicLink()
        ? `${name} -> ${readlinkSync(join(folder, name))}`
        : `${name}: ${readFileSync(join(folder, name), 'utf8')}`,
    )
    .sort();

describe('a copy of a folder', () => {
  it('stands at the same path, with modes, times and links as they were', async () => {
    chmodSync(put('a/-b c/run'), 0o755);
    utimesSync(put('a/-b c/old'), 1000, 2000);
    symlinkSync('/etc/passwd', join(from, 'a/-b c/link'));
    put('a/beside');
    await copyFolder('a/-b c', from, to);
    expect(all(to)).toEqual(['a/-b c/link -> /etc/passwd', 'a/-b c/old: a/-b c/old', 'a/-b c/run: a/-b c/run']);
    expect(statSync(join(to, 'a/-b c/run')).mode & 0o777).toBe(0o755);
    expect(statSync(join(to, 'a/-b c/old')).mtimeMs).toBe(2_000_000);
  });

  it('is there whole from the moment that it is there, whatever was left of an earlier one', async () => {
    for (let index = 0; index < 1500; index += 1) put(`a/b/${index}`);
    mkdirSync(join(to, 'a/.perdure-copying/old'), { recursive: true });
    chmodSync(join(to, 'a/.perdure-copying'), 0o500);
    const seen = new Set<number>();
    let isOver = false;
    const copying = copyFolder('a/b', from, to).finally(() => (isOver = true));
    while (!isOver) {
      if (existsSync(join(to, 'a/b'))) seen.add(readdirSync(join(to, 'a/b')).length);
      await setImmediate();
    }
    await copying;
    expect([...seen].filter((files) => files !== 1500)).toEqual([]);
    expect(readdirSync(join(to, 'a'))).toEqual(['b']);
  });

  it('lies over one that is there', async () => {
    put('a/b/new');
    mkdirSync(join(to, 'a/b'), { recursive: true });
    writeFileSync(join(to, 'a/b/there'), 'there');
    await copyFolder('a/b', from, to);
    expect(all(to)).toEqual(['a/b/new: a/b/new', 'a/b/there: there']);
  });

  it.each(['none', 'file', 'link'])('is made of no %s', async (name) => {
    put('file');
    put('real/inside');
    symlinkSync('real', join(from, 'link'));
    await copyFolder(name, from, to);
    expect(all(to)).toEqual([]);
  });

  it('is made by root of what belongs to others, and belongs to them', { tags: ['root'] }, async () => {
    chownSync(put('a/theirs'), 12345, 12345);
    chmodSync(join(from, 'a/theirs'), 0o600);
    mkdirSync(join(to, 'a'));
    chownSync(join(to, 'a'), 12345, 12345);
    chmodSync(join(to, 'a'), 0o700);
    await copyFolder('a', from, to);
    expect(statSync(join(to, 'a/theirs'))).toMatchObject({ uid: 12345, gid: 12345 });
  });

  it('goes to no folder that a link leads to', async () => {
    put('a/b/file');
    mkdirSync(join(root, 'outside'));
    symlinkSync(join(root, 'outside'), join(to, 'a'));
    await expect(copyFolder('a/b', from, to)).rejects.toThrow(/^`a\/b` could not be copied: mkdir: .*[^\n]$/s);
    expect(readdirSync(join(root, 'outside'))).toEqual([]);
  });

  it('is also made between folders that links name', async () => {
    put('a/file');
    symlinkSync(from, join(root, 'from-link'));
    symlinkSync(to, join(root, 'to-link'));
    await copyFolder('a', join(root, 'from-link'), join(root, 'to-link'));
    expect(all(to)).toEqual(['a/file: a/file']);
  });
});

describe('an archive of paths', () => {
  it('brings them elsewhere as they were, and of a folder no more than itself', async () => {
    chmodSync(put('a/run'), 0o750);
    put('-c dir/-x\nfile');
    put('b/left out');
    symlinkSync('/etc/passwd', join(from, 'link'));
    const file = join(root, 'archive');
    await packPaths(from, ['a/run', '-c dir', '-c dir/-x\nfile', 'b', 'link'], file);
    await unpackInto(to, file);
    expect(all(to)).toEqual(['-c dir/-x\nfile: -c dir/-x\nfile', 'a/run: a/run', 'link -> /etc/passwd']);
    expect(statSync(join(to, 'a/run')).mode & 0o777).toBe(0o750);
    expect(readdirSync(join(to, 'b'))).toEqual([]);
    // What was allowed to all stays so, whatever this process allows to files that it makes.
    chmodSync(join(from, 'a/run'), 0o777);
    await packPaths(from, ['a/run'], file);
    await unpackInto(to, file);
    expect(statSync(join(to, 'a/run')).mode & 0o777).toBe(0o777);
  });

  it('is ours once it is unpacked, and theirs was packed', { tags: ['root'] }, async () => {
    chownSync(put('theirs'), 12345, 12345);
    chmodSync(join(from, 'theirs'), 0o600);
    const file = join(root, 'archive');
    await packPaths(from, ['theirs'], file);
    await unpackInto(to, file);
    expect(statSync(join(to, 'theirs'))).toMatchObject({ uid: 0, gid: 0 });
  });

  it('fails with what `tar` said, and the folder', async () => {
    await expect(packPaths(from, ['none'], join(root, 'archive'))).rejects.toThrow(
      new RegExp(`^\`tar\` failed in \`${from}\`: tar: \\./none: Cannot stat.*[^\n]$`, 's'),
    );
    writeFileSync(join(root, 'broken'), 'no archive'.repeat(100));
    await expect(unpackInto(to, join(root, 'broken'))).rejects.toThrow(`\`tar\` failed in \`${to}\`: tar: `);
  });

  it('writes through no link that stands in the folder', async () => {
    put('a/file');
    const file = join(root, 'archive');
    await packPaths(from, ['a/file'], file);
    mkdirSync(join(root, 'outside'));
    symlinkSync(join(root, 'outside'), join(to, 'a'));
    await unpackInto(to, file).catch(() => undefined);
    expect(readdirSync(join(root, 'outside'))).toEqual([]);
  });
});
