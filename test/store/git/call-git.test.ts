// @module-tag git
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { enclose, gitProgram, isGit, sandboxProgram } from '../../../src/store/git/enclosure.js';
import type { GitPlace } from '../../../src/store/git/git.js';
import { GitError, gitOf, saysFull } from '../../../src/store/git/git.js';

let root: string;
let top: string;
let ours: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-git-')));
  [top, ours] = [join(root, 'work'), join(root, 'ours')];
  mkdirSync(top);
  execFileSync('git', ['init', '--quiet', '--bare', ours]);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const call = async (args: string[], place?: GitPlace): Promise<string> =>
  (await gitOf(ours)(args, place)).toString().trim();
const failure = async (doing: Promise<unknown>): Promise<GitError> => {
  const error = await doing.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GitError)) throw new Error(`expected git to fail, got ${String(error)}`);
  return error;
};

describe('a call of git', () => {
  it('knows one repository, works in its folder, and reads what it is given', async () => {
    expect(await call(['rev-parse', '--absolute-git-dir'])).toBe(ours);
    expect(await call(['hash-object', '-w', '--stdin'], { input: 'hello\n' })).toBe(
      'ce013625030ba8dba906f756967f9e9ca394464a',
    );
    expect(await call(['cat-file', '-p', 'ce013625030ba8dba906f756967f9e9ca394464a'])).toBe('hello');
    expect(await call(['hash-object', '--stdin'])).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');
  });

  it('works in the files that it is shown, and reads those', async () => {
    writeFileSync(join(top, 'file'), 'hello\n');
    expect(await call(['hash-object', 'file'], { workTree: top })).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
    expect(await call(['rev-parse', '--show-toplevel'], { workTree: top })).toBe(top);
  });

  it('writes files only where it may', async () => {
    writeFileSync(join(top, 'file'), 'hello\n');
    const index = join(ours, 'index.own');
    await call(['add', 'file'], { workTree: top, index });
    expect(existsSync(join(ours, 'index'))).toBe(false);
    rmSync(join(top, 'file'));
    const checkOut = (writes: boolean): Promise<string> =>
      call(['checkout-index', '--all'], { workTree: top, index, writes });
    if (sandboxProgram() !== null) {
      await failure(checkOut(false));
      expect(existsSync(join(top, 'file'))).toBe(false);
    }
    await checkOut(true);
    expect(readFileSync(join(top, 'file'), 'utf8')).toBe('hello\n');
  });

  it('does not see what is hidden', async () => {
    mkdirSync(join(top, 'secret'));
    writeFileSync(join(top, 'secret/file'), 'hello\n');
    const listed = (hidden: string[]): Promise<string> => call(['ls-files', '--others'], { workTree: top, hidden });
    expect(await listed([])).toBe('secret/file');
    if (sandboxProgram() !== null) expect(await listed([join(top, 'secret')])).toBe('');
  });

  it('ignores what it is told to, and nothing else', async () => {
    for (const name of ['a.log', 'b.txt']) writeFileSync(join(top, name), '');
    const ignored = join(ours, 'ignored.own');
    writeFileSync(ignored, '*.log\n');
    const listed = (place: GitPlace): Promise<string> =>
      call(['ls-files', '--others', '--exclude-standard'], { workTree: top, ...place });
    expect(await listed({})).toBe('a.log\nb.txt');
    expect(await listed({ ignored })).toBe('b.txt');
  });

  it('is told who commits, and nothing of our environment', async () => {
    const tree = await call(['mktree'], { input: '' });
    const env = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@x', GIT_COMMITTER_NAME: 'C', GIT_COMMITTER_EMAIL: 'c@x' };
    process.env['GIT_AUTHOR_DATE'] = '2001-01-01T00:00:00Z';
    try {
      const commit = await call(['commit-tree', tree, '-m', 'x'], { env });
      expect(await call(['log', '-1', '--format=%an %cn', commit])).toBe('A C');
      expect(await call(['log', '-1', '--format=%as', commit])).not.toBe('2001-01-01');
    } finally {
      delete process.env['GIT_AUTHOR_DATE'];
    }
  });

  it('follows settings that its repository needs', async () => {
    expect((await gitOf(ours, { settings: ['merge.renames=false'] })(['config', 'merge.renames'])).toString()).toBe(
      'false\n',
    );
    expect(await call(['config', 'core.hooksPath'])).toBe('/dev/null');
    expect(await call(['config', 'core.excludesFile'])).toBe('/dev/null');
  });

  it('reads objects that it borrows', async () => {
    const others = join(root, 'others');
    execFileSync('git', ['init', '--quiet', '--bare', others]);
    const hash = execFileSync('git', [`--git-dir=${others}`, 'hash-object', '-w', '--stdin'], { input: 'theirs' });
    writeFileSync(join(ours, 'objects/info/alternates'), `${join(others, 'objects')}\n`);
    const borrowing = gitOf(ours, { reads: [join(others, 'objects')] });
    expect((await borrowing(['cat-file', '-p', hash.toString().trim()])).toString()).toBe('theirs');
  });
});

describe('a call of git that fails', () => {
  it('says what git said, how it ended, and what it had printed', async () => {
    const error = await failure(call(['rev-parse', 'HEAD^{commit}']));
    expect(error).toMatchObject({ name: 'GitError', tookTooLong: false, exitCode: 128 });
    expect(error.said).toMatch(/^fatal: .*HEAD/s);
    expect(error.message).toBe(error.said);
    expect(error.printed.toString()).toBe('HEAD^{commit}\n');
  });

  it('has the same to say from inside a sandbox', async () => {
    expect(await failure(call(['cat-file', '-p', 'none'], { workTree: top }))).toMatchObject({
      exitCode: 128,
      said: 'fatal: Not a valid object name none',
    });
  });

  it('says how it ended where git said nothing', async () => {
    writeFileSync(join(ours, 'one'), 'x');
    const error = await failure(call(['diff', '--no-index', '--quiet', '/dev/null', 'one']));
    expect(error).toMatchObject({ said: '', exitCode: 1 });
    expect(error.message).toContain('failed with exit code 1');
  });

  it('has printed too much', async () => {
    const error = await failure(call(['help', '-a'], { most: 10 }));
    expect(error.tookTooLong).toBe(true);
    expect(error.printed.length).toBeLessThanOrEqual(10);
  });

  it.each(['.gitignore', '.gitattributes'])('waits for a pipe in place of `%s`', async (name) => {
    mkdirSync(join(top, 'inner'));
    writeFileSync(join(top, 'inner', 'file'), 'hello\n');
    execFileSync('mkfifo', [join(top, 'inner', name)]);
    const error = await failure(gitOf(ours, { timeoutMs: 600_000 })(['add', '.'], { workTree: top }));
    expect(error.message).toBe(`\`inner/${name}\` is a pipe, on which git would wait for ever: remove it.`);
  });

  it('took longer than it may', async () => {
    // Nobody writes to the other end of this terminal: it would be read for ever.
    const error = await failure(gitOf(ours, { timeoutMs: 50 })(['hash-object', '--no-filters', '/dev/ptmx']));
    expect(error).toMatchObject({ tookTooLong: true });
  });

  it.each([
    [
      true,
      new GitError('error: No space left on device', {
        why: '',
        tookTooLong: false,
        exitCode: 1,
        printed: Buffer.alloc(0),
      }),
    ],
    [true, new GitError('Disk quota exceeded', { why: '', tookTooLong: false, exitCode: 1, printed: Buffer.alloc(0) })],
    [
      false,
      new GitError('', { why: 'No space left on device', tookTooLong: false, exitCode: 1, printed: Buffer.alloc(0) }),
    ],
    [false, new Error('No space left on device')],
  ])('is for want of room: %s', (isFull, error) => {
    expect(saysFull(error)).toBe(isFull);
  });
});

describe('the git that is started', () => {
  const path = process.env['PATH'];
  afterEach(() => {
    process.env['PATH'] = path;
  });

  it('is the system’s, whatever stands on the PATH before it', () => {
    writeFileSync(join(top, 'git'), '#!/bin/sh\n');
    chmodSync(join(top, 'git'), 0o755);
    process.env['PATH'] = `${top}:${path ?? ''}`;
    expect(gitProgram(undefined)).toMatch(/^\/(usr\/(local\/)?)?bin\/git$/);
  });

  it.each([
    ['git', true],
    ['/usr/bin/git', false],
    ['gitk', false],
    [undefined, false],
  ])('is named by %s: %s', (program, is) => {
    expect(isGit(program)).toBe(is);
  });
});

describe('what a program is shown', () => {
  const shown = (sight: Partial<Parameters<typeof enclose>[1]>): string =>
    enclose('/usr/bin/git', { ours: ['/srv/ours'], hidden: [], ...sight }).join(' ');

  it('is its own folder alone, where it works', () => {
    const words = shown({ ours: ['/srv/ours', '/srv/more'] });
    expect(words).toMatch(
      / --tmpfs \/tmp --bind \/srv\/ours \/srv\/ours --bind \/srv\/more \/srv\/more --chdir \/srv\/ours --$/,
    );
    expect(words).toContain('--unshare-net');
    expect(words.includes('--cap-add CAP_DAC_READ_SEARCH')).toBe(process.getuid?.() === 0);
  });

  it('is a work tree, to be read, without what is hidden below, and what it borrows', () => {
    const all = shown({ workTree: '/w', hidden: ['/w/.perdure'], reads: ['/theirs'] });
    expect(all.slice(all.indexOf(' --tmpfs /tmp '))).toBe(
      ' --tmpfs /tmp --ro-bind /w /w --tmpfs /w/.perdure --ro-bind /theirs /theirs ' +
        '--bind /srv/ours /srv/ours --chdir /w --',
    );
    expect(shown({ workTree: '/w', writes: true })).toContain(' --bind /w /w ');
  });

  it('is its installation, where that is none of the system’s, also where a link leads to it', () => {
    const folder = join(root, 'installed');
    mkdirSync(join(folder, 'bin'), { recursive: true });
    mkdirSync(join(folder, 'lib'));
    writeFileSync(join(folder, 'bin/tool'), '');
    const words = enclose(join(folder, 'bin/tool'), { ours: ['/srv/ours'], hidden: [] }).join(' ');
    expect(words).toContain(` --ro-bind-try ${folder} ${folder} --tmpfs /tmp `);
    expect(words).not.toContain(homedir() === '/root' ? ' /root ' : ` ${homedir()} `);
  });
});

describe('a call of git that takes too long', () => {
  it('has what was left half-written removed, once nobody writes it any more', async () => {
    const left = ['objects/tmp_obj_a', 'objects/ab/tmp_obj_b', 'objects/pack/tmp_pack_c', 'objects/pack/tmp_idx_d'];
    const kept = ['objects/pack/tmp_pack_now', 'objects/pack/pack-1.pack', 'objects/ab/cd', 'tmp_obj_e'];
    mkdirSync(join(ours, 'objects/ab'));
    for (const name of [...left, ...kept]) writeFileSync(join(ours, name), '');
    const minuteAgo = new Date(Date.now() - 60_000);
    for (const name of [...left, ...kept.slice(1)]) utimesSync(join(ours, name), minuteAgo, minuteAgo);
    const there = (): string[] => [...left, ...kept].filter((name) => existsSync(join(ours, name)));
    await failure(gitOf(ours)(['no-such-command']));
    expect(there()).toEqual([...left, ...kept]);
    expect((await failure(gitOf(ours)(['version'], { most: 1 }))).tookTooLong).toBe(true);
    expect(there()).toEqual(kept);
  });
});
