import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { excludesOf, headOf, indexOf, repositoryAt, repositoryOf } from '../../../src/store/git/repository.js';

const ONE = '1'.repeat(40);
const TWO = '2'.repeat(40);
let top: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-repository-')));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function put(name: string, content: string): void {
  mkdirSync(dirname(join(top, name)), { recursive: true });
  writeFileSync(join(top, name), content);
}

describe('the top of a repository', () => {
  it('is the nearest folder that has a `.git`, be it a folder or a file', () => {
    mkdirSync(join(top, '.git'));
    put('inside/.git', 'gitdir: elsewhere\n');
    put('inside/deep/er/file', '');
    put('beside/file', '');
    expect(repositoryOf(top)).toBe(top);
    expect(repositoryOf(join(top, 'beside'))).toBe(top);
    expect(repositoryOf(join(top, 'inside/deep/er'))).toBe(join(top, 'inside'));
  });

  it('is none above all folders', () => {
    expect(repositoryOf('/')).toBeNull();
  });
});

describe('the parts of a repository', () => {
  it('are its `.git` where that is a folder', async () => {
    mkdirSync(join(top, '.git'));
    expect(await repositoryAt(top)).toEqual({ top, folder: join(top, '.git'), common: join(top, '.git') });
  });

  it.each([
    ['from the top', 'gitdir: main/.git/worktrees/w\n', 'main/.git/worktrees/w'],
    ['without an end of its line', 'gitdir: main/.git/worktrees/w', 'main/.git/worktrees/w'],
  ])('are where a file of that name points to, %s', async (_title, pointer, folder) => {
    put('.git', pointer);
    put('main/.git/worktrees/w/commondir', '../..\n');
    expect(await repositoryAt(top)).toEqual({ top, folder: join(top, folder), common: join(top, 'main/.git') });
  });

  it.each([
    ['has more before it', 'x gitdir: other\n'],
    ['has more after it', 'gitdir: other\nmore\n'],
    ['names nothing', 'gitdir: \n'],
  ])('are not where a file points to that %s', async (_title, pointer) => {
    put('.git', pointer);
    expect((await repositoryAt(top)).folder).toBe(join(top, '.git'));
  });
});

describe('the commit that is checked out', () => {
  const head = async (): Promise<string> => headOf(await repositoryAt(top));

  it('is what HEAD says by itself', async () => {
    put('.git/HEAD', `${ONE}\n`);
    expect(await head()).toBe(ONE);
  });

  it('is what the branch says in its own file, before what is packed', async () => {
    put('.git/HEAD', 'ref: refs/heads/main\n');
    put('.git/packed-refs', `${TWO} refs/heads/main\n`);
    expect(await head()).toBe(TWO);
    put('.git/refs/heads/main', `${ONE}\n`);
    expect(await head()).toBe(ONE);
  });

  it('is that of the branch of this very name among the packed ones', async () => {
    put('.git/HEAD', 'ref: refs/heads/main\n');
    put(
      '.git/packed-refs',
      `# pack-refs with: peeled\n${TWO} refs/heads/not/refs/heads/main2\n${ONE} refs/heads/main\n`,
    );
    expect(await head()).toBe(ONE);
  });

  it('is found in a work tree, and in what it shares', async () => {
    put('.git', 'gitdir: main/.git/worktrees/w\n');
    put('main/.git/worktrees/w/commondir', '../..\n');
    put('main/.git/worktrees/w/HEAD', 'ref: refs/heads/main\n');
    put('main/.git/refs/heads/main', `${TWO}\n`);
    expect(await head()).toBe(TWO);
    put('main/.git/worktrees/w/refs/heads/main', `${ONE}\n`);
    expect(await head()).toBe(ONE);
  });

  it('is told by its tables where references are kept in those', async () => {
    put('.git/HEAD', 'ref: refs/heads/.invalid\n');
    put('.git/reftable/tables.list', '0x01-0x02-ab.ref\n');
    expect(await head()).toBe('0x01-0x02-ab.ref');
  });

  it.each([
    ['a name that leads out', 'ref: refs/../../secret\n', 'ref: refs/../../secret'],
    ['a name that is no reference', 'ref: secret\n', 'ref: secret'],
    ['something after it', 'ref: refs/heads/main\0\n', 'ref: refs/heads/main\0'],
    ['something before it', `x ref: refs/heads/main\n`, 'x ref: refs/heads/main'],
    ['a branch without a commit', 'ref: refs/heads/none\n', ''],
  ])('is read in no file of %s', async (_title, content, answer) => {
    put('secret', ONE);
    put('.git/secret', ONE);
    put('.git/refs/heads/main', ONE);
    put('.git/HEAD', content);
    expect(await head()).toBe(answer);
  });

  it('is unknown without HEAD', async () => {
    mkdirSync(join(top, '.git'));
    expect(await head()).toBe('');
  });
});

describe('what git knew of the files', () => {
  it('is its index with the time of that', async () => {
    put('.git/index', 'DIRC');
    utimesSync(join(top, '.git/index'), 1000, 2000);
    expect(await indexOf(await repositoryAt(top))).toEqual({ bytes: Buffer.from('DIRC'), at: new Date(2_000_000) });
  });

  it('is nothing without an index, and never what a link leads to', async () => {
    put('.git/HEAD', '');
    expect(await indexOf(await repositoryAt(top))).toBeNull();
    put('other', 'DIRC');
    symlinkSync(join(top, 'other'), join(top, '.git/index'));
    expect(await indexOf(await repositoryAt(top))).toBeNull();
  });
});

it('has its own patterns that are ignored in what its work trees share', async () => {
  put('.git', 'gitdir: main/.git/worktrees/w\n');
  put('main/.git/worktrees/w/commondir', '../..\n');
  expect(await excludesOf(await repositoryAt(top))).toBeNull();
  put('main/.git/info/exclude', 'private\n');
  expect((await excludesOf(await repositoryAt(top)))?.toString()).toBe('private\n');
});
