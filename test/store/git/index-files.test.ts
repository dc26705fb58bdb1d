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
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Git } from '../../../src/store/git/git.js';
import { GitError, gitOf } from '../../../src/store/git/git.js';
import { indexFiles, withIndex } from '../../../src/store/git/index-files.js';
import type { Look } from '../../../src/store/git/work-tree.js';
import { foldersBelow, hide, lookAt } from '../../../src/store/git/work-tree.js';

let root: string;
let top: string;
let ours: string;
let index: string;
let git: Git;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-index-')));
  [top, ours] = [join(root, 'work'), join(root, 'ours')];
  mkdirSync(top);
  execFileSync('git', ['init', '--quiet', '--bare', ours]);
  index = join(ours, 'index.own');
  git = gitOf(ours);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, content = name): void {
  mkdirSync(dirname(join(top, name)), { recursive: true });
  writeFileSync(join(top, name), content);
}

/** A repository inside, with a commit or without. */
function repositoryInside(name: string, commits = true): string {
  execFileSync('git', ['init', '--quiet', join(top, name)]);
  if (!commits) return '';
  const own = ['-C', join(top, name), '-c', 'user.name=p', '-c', 'user.email=p@x'];
  execFileSync('git', [...own, 'commit', '--quiet', '--allow-empty', '-m', 'inside']);
  return execFileSync('git', [...own, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
}

const look = (over: Partial<Look> = {}): Look => ({
  git,
  repository: { top, folder: '', common: '' },
  below: '',
  without: [],
  place: { workTree: top, index },
  ...over,
});
const entries = async (): Promise<string[]> =>
  (await git(['ls-files', '--stage', '-z'], { index })).toString().split('\0').slice(0, -1);
const names = async (): Promise<string[]> => (await entries()).map((entry) => entry.slice(entry.indexOf('\t') + 1));

describe('a look at files', () => {
  it('tells what is new, changed, gone, as it was, and a repository of its own', async () => {
    for (const name of ['same', 'changed', 'gone', 'with space\tand tab']) put(name);
    await indexFiles(look());
    put('changed', 'longer than it was');
    rmSync(join(top, 'gone'));
    put('new/file');
    repositoryInside('inside');
    const { indexed, changed, repositories } = await lookAt(look());
    expect(indexed.map((entry) => entry.slice(entry.indexOf('\t') + 1)).sort()).toEqual([
      'changed',
      'gone',
      'same',
      'with space\tand tab',
    ]);
    expect(indexed.every((entry) => /^100644 [0-9a-f]{40} 0\t/.test(entry))).toBe(true);
    expect(changed.sort()).toEqual(['changed', 'gone', 'new/file']);
    expect(repositories).toEqual(['inside']);
  });

  it('knows a repository inside again that the index has', async () => {
    repositoryInside('inside');
    await indexFiles(look());
    expect(await lookAt(look())).toMatchObject({ changed: [], repositories: ['inside'] });
  });

  it('is at one folder alone, and not at what does not count, whatever characters their names have', async () => {
    for (const name of ['a*/in', 'a*/out/deep', 'ab/beside', 'top']) put(name);
    expect((await lookAt(look({ below: 'a*', without: ['a*/out'] }))).changed).toEqual(['a*/in']);
  });

  it('tells files apart whose names are no text, by what can be shown of them', async () => {
    for (const name of ['a.txt', 'plain\ufffd.txt']) put(name);
    for (const name of ['caf\u00e9', '\u00ff']) writeFileSync(Buffer.from(join(top, name), 'latin1'), '');
    const seen = await lookAt(look());
    expect([seen.changed.sort(), seen.unnamed.sort()]).toEqual([
      ['a.txt', 'plain\ufffd.txt'],
      ['caf\ufffd', '\ufffd'],
    ]);
    expect(await indexFiles(look())).toEqual({ repositories: [], unnamed: seen.unnamed, unread: [], hiding: [] });
    expect(await names()).toEqual(['a.txt', 'plain\ufffd.txt']);
  });

  it('has nothing that git is told to ignore', async () => {
    put('.gitignore', '*.log\n');
    put('a.log');
    expect((await lookAt(look())).changed).toEqual(['.gitignore']);
  });
});

describe('an index', () => {
  it('is brought to what the files are', async () => {
    for (const name of ['same', 'changed', 'gone']) put(name);
    expect(await indexFiles(look())).toEqual({ repositories: [], unnamed: [], unread: [], hiding: [] });
    const before = await entries();
    put('changed', 'longer than it was');
    rmSync(join(top, 'gone'));
    rmSync(join(top, 'same'));
    put('same/is a folder now');
    await indexFiles(look());
    expect(await names()).toEqual(['changed', 'same/is a folder now']);
    expect(before).not.toContain((await entries())[0]);
  });

  it('has nothing of a folder that became a file or a link, wherever that leads', async () => {
    for (const name of ['file/a', 'loop/b', 'out/c', 'gone/d', 'same']) put(name);
    await indexFiles(look());
    for (const name of ['file', 'loop', 'out', 'gone']) rmSync(join(top, name), { recursive: true });
    put('file');
    mkdirSync(join(root, 'outside'));
    writeFileSync(join(root, 'outside/c'), 'outside');
    for (const [name, target] of [
      ['loop', 'loop'],
      ['out', '../outside'],
      ['gone', 'nowhere'],
    ] as const)
      symlinkSync(target, join(top, name));
    expect(await indexFiles(look())).toEqual({ repositories: [], unnamed: [], unread: [], hiding: [] });
    expect(await names()).toEqual(['file', 'gone', 'loop', 'out', 'same']);
  });

  it('has the commit of a repository inside, and follows it', async () => {
    const first = repositoryInside('inside');
    expect(await indexFiles(look())).toMatchObject({ repositories: ['inside'] });
    expect(await entries()).toEqual([`160000 ${first} 0\tinside`]);
    const second = repositoryInside('inside');
    expect(second).not.toBe(first);
    await indexFiles(look());
    expect(await entries()).toEqual([`160000 ${second} 0\tinside`]);
  });

  it('is not written where a repository inside stands as it did', async () => {
    repositoryInside('inside');
    await indexFiles(look());
    const calls: string[] = [];
    await indexFiles(
      look({
        git: (args, place) => {
          calls.push(args[0] ?? '');
          return git(args, place);
        },
      }),
    );
    expect(calls).toEqual(['ls-files']);
  });

  it('has nothing of a repository inside without a commit, also where it had one', async () => {
    repositoryInside('empty', false);
    repositoryInside('inside');
    await indexFiles(look());
    expect(await names()).toEqual(['inside']);
    rmSync(join(top, 'inside/.git'), { recursive: true });
    execFileSync('git', ['init', '--quiet', join(top, 'inside')]);
    expect((await indexFiles(look())).repositories.sort()).toEqual(['empty', 'inside']);
    expect(await entries()).toEqual([]);
  });

  it('leaves repositories inside alone where that is asked for', async () => {
    repositoryInside('inside');
    put('file');
    expect(await indexFiles(look(), { leaveInside: true })).toMatchObject({ repositories: ['inside'] });
    expect(await names()).toEqual(['file']);
  });

  it('has all but what cannot be read', async () => {
    put('open');
    put('closed');
    chmodSync(join(top, 'closed'), 0);
    await indexFiles(look());
    // Root may read everything.
    expect(await names()).toEqual(process.getuid?.() === 0 ? ['closed', 'open'] : ['open']);
  });
});

describe('files that git cannot read after all', () => {
  /** A git that fails on each of these paths in turn, as it does: at the first that it finds. */
  function failing(unreadable: string[], say: (path: string) => Error): { git: Git; added: string[][] } {
    const added: string[][] = [];
    return {
      added,
      git: async (args, place) => {
        if (args[0] !== 'update-index') return git(args, place);
        const paths = String(place?.input).split('\0').slice(0, -1);
        const bad = paths.find((path) => unreadable.includes(path));
        if (bad !== undefined) throw say(bad);
        added.push(paths);
        return git(args, place);
      },
    };
  }
  const error = (said: string): GitError =>
    new GitError(said, { why: '', tookTooLong: false, exitCode: 128, printed: Buffer.alloc(0) });
  const unreadable = (path: string): Error =>
    error(`error: open("${path}"): Permission denied\nfatal: Unable to process path ${path}`);

  it('are left out, and the others are there', async () => {
    for (const name of ['a', 'b\nc', 'd']) put(name);
    const { git: failingGit, added } = failing(['a', 'b\nc'], unreadable);
    await indexFiles(look({ git: failingGit }));
    expect(added).toEqual([['d']]);
    expect(await names()).toEqual(['d']);
  });

  it('may be all', async () => {
    put('a');
    const { git: failingGit, added } = failing(['a'], unreadable);
    await indexFiles(look({ git: failingGit }));
    expect(added).toEqual([]);
  });

  it('are no more than twenty', async () => {
    const bad = Array.from({ length: 21 }, (_, at) => `f${String(at).padStart(2, '0')}`);
    for (const name of bad) put(name);
    const more = failing(bad, unreadable);
    await expect(indexFiles(look({ git: more.git }))).rejects.toThrow('Unable to process path f20');
    const twenty = failing(bad.slice(1), unreadable);
    await indexFiles(look({ git: twenty.git }));
    expect(twenty.added).toEqual([['f00']]);
  });

  it.each([
    ['the disk is full', (path: string) => error(`No space left on device\nfatal: Unable to process path ${path}`)],
    ['it names another file', () => unreadable('other')],
    ['it names none', () => error('fatal: index file corrupt')],
  ])('are not what is wrong where %s', async (_title, say) => {
    put('a');
    const wrong = failing(['a'], say);
    await expect(indexFiles(look({ git: wrong.git }))).rejects.toThrow(say('a').message);
  });
});

describe('files of an index of its own', () => {
  it('are not there afterwards, whatever became of it', async () => {
    const given: string[] = [];
    const answer = await withIndex(root, async (files) => {
      for (const file of [files.index, `${files.index}.lock`, files.ignored]) {
        expect(existsSync(file)).toBe(false);
        writeFileSync(file, '');
        given.push(file);
      }
      return Promise.resolve('done');
    });
    expect(answer).toBe('done');
    expect(new Set(given.map((file) => dirname(file)))).toEqual(new Set([root]));
    expect(given[0]).not.toBe(given[2]);
    await expect(
      withIndex(root, ({ index: own }) => {
        writeFileSync(own, '');
        return Promise.reject(new Error('no'));
      }),
    ).rejects.toThrow('no');
    expect(readdirSync(root).sort()).toEqual(['ours', 'work']);
  });

  it('are of other names each time', async () => {
    const name = (): Promise<string> => withIndex(root, ({ index: own }) => Promise.resolve(own));
    expect(await name()).not.toBe(await name());
  });
});

describe('folders that do not count', () => {
  it('are those below', () => {
    const folders = ['/p/a', '/p/a/b', '/p', '/', '/q', '/pp', '/p/..a', '/p/../q'];
    expect(foldersBelow('/p', folders)).toEqual(['a', 'a/b', '..a']);
    expect(hide('/p', folders)).toEqual({ without: ['a', 'a/b', '..a'], hidden: ['/p/a', '/p/a/b', '/p/..a'] });
  });
});
