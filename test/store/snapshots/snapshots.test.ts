// @module-tag git
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeRun, removeUnnamedFiles } from '../../../src/store/records/prune-files.js';
import type { Snapshots } from '../../../src/store/snapshots/snapshots.js';
import { createSnapshots, snapshotFolder, snapshotsOfRun } from '../../../src/store/snapshots/snapshots.js';

let project: string;
let state: string;
let snapshots: Snapshots;

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-snapshots-')));
  state = join(project, '.perdure');
  mkdirSync(state);
  writeFileSync(join(state, '.gitignore'), '*\n');
  snapshots = createSnapshots(snapshotFolder(state));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const init = (folder = project): unknown => execFileSync('git', ['init', '--quiet', folder]);
const write = (name: string, content: string): void => writeFileSync(join(project, name), content);
const kept = async (run: string, moment: 'start' | 'end' = 'start'): Promise<string> =>
  (await snapshots.snapshotOf(run, moment)) ?? 'none';
const names = async (tree: string): Promise<string[]> =>
  (await snapshots.snapshotGit(['ls-tree', '-r', '-z', '--name-only', tree])).toString().split('\0').slice(0, -1);
const content = async (tree: string, name: string): Promise<string> =>
  (await snapshots.snapshotGit(['cat-file', 'blob', `${tree}:${name}`])).toString();

describe('a snapshot of a workspace', () => {
  it("has every file that git does not ignore, and leaves the project's repository as it is", async () => {
    init();
    write('.gitignore', '*.log\n');
    writeFileSync(join(project, '.git/info/exclude'), 'private\n');
    for (const name of ['a.txt', 'a.log', 'private', 'ümlaut "x".txt']) write(name, name);
    expect(await snapshots.keepSnapshot('r', 'start', project)).toBe(true);
    expect(await names(await kept('r'))).toEqual(['.gitignore', 'a.txt', 'ümlaut "x".txt']);
    expect(execFileSync('git', ['-C', project, 'count-objects'], { encoding: 'utf8' })).toBe(
      '0 objects, 0 kilobytes\n',
    );
    expect(existsSync(join(project, '.git/index'))).toBe(false);
  });

  it('keeps files byte by byte, whatever .gitattributes and the settings of the user say', async () => {
    init();
    write('.gitattributes', '* text=auto eol=lf filter=lost ident\n');
    write('dos.txt', 'a\r\nb\r\n$Id$\r\n');
    await snapshots.keepSnapshot('r', 'start', project);
    expect(await content(await kept('r'), 'dos.txt')).toBe('a\r\nb\r\n$Id$\r\n');
  });

  it('stands as it was taken first, also by five at once', async () => {
    init();
    write('a.txt', 'first');
    const again = createSnapshots(snapshotFolder(state));
    expect(
      await Promise.all(
        [snapshots, again, snapshots, again, snapshots].map((each) => each.keepSnapshot('r.1..x', 'start', project)),
      ),
    ).toEqual([true, true, true, true, true]);
    write('a.txt', 'second');
    await snapshots.keepSnapshot('r.1..x', 'start', project);
    await snapshots.keepSnapshot('r.1..x', 'end', project);
    expect(await content(await kept('r.1..x'), 'a.txt')).toBe('first');
    expect(await content(await kept('r.1..x', 'end'), 'a.txt')).toBe('second');
    expect(readdirSync(snapshotFolder(state)).filter((name) => name.startsWith('index'))).toEqual(['index']);
    // Of who made the repository too, and was slower, nothing is left.
    expect(readdirSync(state).sort()).toEqual(['.gitignore', 'snapshots']);
  });

  it('is none where its repository cannot be made, of which nothing is left', async () => {
    init();
    write('.perdure/file', '');
    const nowhere = createSnapshots(join(state, 'file/snapshots'));
    expect(await nowhere.keepSnapshot('r', 'start', project)).toBe(false);
    expect(await nowhere.snapshotNow(project)).toBeNull();
    expect(readdirSync(state).sort()).toEqual(['.gitignore', 'file']);
  });

  it('is of the workspace alone where that is a folder of a larger repository, whose ignore file counts', async () => {
    init();
    write('.gitignore', 'node_modules\n');
    write('above.txt', 'x');
    mkdirSync(join(project, 'app/node_modules'), { recursive: true });
    write('app/main.ts', 'x');
    write('app/node_modules/m.js', 'x');
    expect(await snapshots.keepSnapshot('r', 'start', join(project, 'app'))).toBe(true);
    expect(await names(await kept('r'))).toEqual(['main.ts']);
  });

  it('leaves out what cannot be read, and takes a repository inside for one entry', async () => {
    init();
    write('a.txt', 'x');
    init(join(project, 'inside'));
    write('inside/b.txt', 'x');
    write('closed.txt', 'x');
    chmodSync(join(project, 'closed.txt'), 0);
    expect(await snapshots.keepSnapshot('r', 'start', project)).toBe(true);
    expect(await names(await kept('r'))).toContain('a.txt');
  });

  it('knows what it has nothing of, until its run is removed', async () => {
    init();
    write('a.txt', 'x');
    const odd = (name: string): Buffer => Buffer.concat([Buffer.from(`${project}/${name}`), Buffer.from([0xff])]);
    writeFileSync(odd('b'), 'x');
    writeFileSync(odd('a'), 'x');
    await snapshots.keepSnapshot('r', 'start', project);
    expect(await names(await kept('r'))).toEqual(['a.txt']);
    expect(await snapshots.leftOutOf('r', 'start')).toEqual({ unnamed: ['a\ufffd', 'b\ufffd'], unread: [] });
    expect(await snapshots.snapshotNow(project)).toMatchObject({ unnamed: ['a\ufffd', 'b\ufffd'], unread: [] });
    for (const name of ['a', 'b']) rmSync(odd(name));
    await snapshots.keepSnapshot('r', 'end', project);
    expect(await snapshots.leftOutOf('r', 'end')).toEqual({ unnamed: [], unread: [] });
    expect(await snapshots.leftOutOf('other', 'start')).toEqual({ unnamed: [], unread: [] });
    await removeRun(state, 'r');
    expect(await snapshots.leftOutOf('r', 'start')).toEqual({ unnamed: [], unread: [] });
  });

  it('may be of no file at all', async () => {
    init();
    expect(await snapshots.keepSnapshot('r', 'start', project)).toBe(true);
    expect(await names(await kept('r'))).toEqual([]);
    write('above.txt', 'x');
    mkdirSync(join(project, 'app'));
    expect(await snapshots.keepSnapshot('s', 'start', join(project, 'app'))).toBe(true);
    expect(await names(await kept('s'))).toEqual([]);
  });

  it('is none where its name was damaged', async () => {
    init();
    await snapshots.keepSnapshot('r', 'start', project);
    const [tree, file] = [await kept('r'), join(snapshotsOfRun(snapshotFolder(state), 'r'), 'start')];
    for (const text of ['', tree, `${tree}\n\n`, `x${tree}\n`, `${tree.slice(1)}\n`, `ref: ${tree}\n`]) {
      writeFileSync(file, text);
      expect(await snapshots.snapshotOf('r', 'start')).toBeNull();
    }
    writeFileSync(file, `${tree}\n`);
    expect(await kept('r')).toBe(tree);
    rmSync(file);
    mkdirSync(file);
    expect(await snapshots.snapshotOf('r', 'start')).toBeNull();
    expect(await snapshots.snapshotElsewhere('r')).toBeNull();
  });

  it("is none where git can take none, never one without the workspace's files", async () => {
    init();
    mkdirSync(join(project, 'app'));
    write('app/a.txt', 'x');
    // Older than the index, so that git does not read it again.
    utimesSync(join(project, 'app/a.txt'), 1, 1);
    await snapshots.keepSnapshot('r', 'start', project);
    const objects = join(snapshotFolder(state), 'objects');
    for (const name of readdirSync(objects)) rmSync(join(objects, name), { recursive: true });
    for (const workspace of [project, join(project, 'app')])
      expect(await snapshots.keepSnapshot('s', 'start', workspace)).toBe(false);
    expect(await snapshots.snapshotOf('s', 'start')).toBeNull();
    rmSync(snapshotFolder(state), { recursive: true });
    writeFileSync(snapshotFolder(state), 'no folder');
    expect(await snapshots.keepSnapshot('s', 'start', project)).toBe(false);
    expect(readdirSync(state).sort()).toEqual(['.gitignore', 'snapshots']);
  });

  it('has nothing of the state folder, whatever git ignores', async () => {
    init();
    rmSync(join(state, '.gitignore'));
    writeFileSync(join(state, 'key'), 'secret');
    write('a.txt', 'x');
    await snapshots.keepSnapshot('r', 'start', project);
    expect(await names(await kept('r'))).toEqual(['a.txt']);
  });

  it('is not taken outside git', async () => {
    write('a.txt', 'x');
    expect(await snapshots.keepSnapshot('r', 'start', project)).toBe(false);
    expect(await snapshots.snapshotOf('r', 'start')).toBeNull();
    expect(existsSync(snapshotFolder(state))).toBe(false);
  });

  it('goes with its run, and its files with the last that has them, but those that were there last', async () => {
    init();
    write('a.txt', 'of both');
    await snapshots.keepSnapshot('one', 'start', project);
    write('b.txt', 'of two');
    await snapshots.keepSnapshot('two', 'start', project);
    const [one, two] = [await kept('one'), await kept('two')];
    rmSync(join(project, 'b.txt'));
    await snapshots.keepSnapshot('three', 'start', project);
    await removeRun(state, 'two');
    const objects = join(snapshotFolder(state), 'objects');
    for (const name of readdirSync(objects, { recursive: true, encoding: 'utf8' }))
      utimesSync(join(objects, name), 0, 0);
    await removeUnnamedFiles(state);
    expect(await kept('two')).toBe('none');
    expect(await content(one, 'a.txt')).toBe('of both');
    await expect(content(two, 'b.txt')).rejects.toThrow();
  });
});
