// @module-tag git
// @seconds 45
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject, projectAt, until } from '../faults/project.js';

/** A name that takes as many bytes as a name may have. */
const LONG = '字'.repeat(85);
const work = (name: string): string =>
  `name: ${name}\nworkspace: worktree\nsteps:\n  - {id: one, command: [sh, ./${name}.sh], commit: "writer: ${name}"}\n`;
const SCRIPTS = {
  turn:
    `rm -r dir; echo now a file > dir; rm file; mkdir file; echo in it > file/in; rm link; mkdir -p link/deep\n` +
    `echo x > link/deep/x; echo 'long' > ${LONG}; echo more >> secret.txt; echo more >> notes.txt\n`,
  first: 'echo first > notes.txt; echo new > new.txt\n',
  second: 'echo second > notes.txt\n',
  large: 'truncate -s 100M a-large; echo z > zz\n',
};
const START = { 'dir/f': 'd\n', file: 'f\n', 'notes.txt': 'one\n', 'secret.txt': 's\n' };

let project: Project;
const at = (...path: string[]): string => join(project.folder, ...path);
const git = (...args: string[]): string => execFileSync('git', ['-C', project.folder, ...args], { encoding: 'utf8' });

beforeAll(async () => {
  project = await openProject({
    '.gitignore': '.perdure\n*.log\n',
    ...START,
    ...Object.fromEntries(
      Object.entries(SCRIPTS).flatMap(([name, script]) => [
        [`${name}.yml`, work(name)],
        [`${name}.sh`, script],
      ]),
    ),
  });
  symlinkSync('notes.txt', at('link'));
  git('init', '-q', '-b', 'main');
  for (const [key, value] of Object.entries({ name: 'Ana', email: 'ana@example.org' }))
    git('config', `user.${key}`, value);
  git('add', '-A');
  git('commit', '-q', '-m', 'Begin');
  for (const name of Object.keys(SCRIPTS))
    expect(await project.run('run', `${name}.yml`, '--id', name)).toMatchObject({ code: 0 });
});
beforeEach(() => {
  git('reset', '-q', '--hard', git('rev-list', '--max-parents=0', 'HEAD').trim());
  git('clean', '-qfdx', '-e', '.perdure');
});
afterAll(() => project.close());

const apply = (run: string) => project.run('workspace', 'apply', run);

describe('workspace apply', () => {
  it('makes folders of files and of links, and files of folders, and finds them so afterwards', async () => {
    expect(await apply('turn')).toMatchObject({ code: 0 });
    expect(readFileSync(at('dir'), 'utf8')).toBe('now a file\n');
    expect(readFileSync(at('file', 'in'), 'utf8')).toBe('in it\n');
    expect(readFileSync(at('link', 'deep', 'x'), 'utf8')).toBe('x\n');
    expect(readFileSync(at(LONG), 'utf8')).toBe('long\n');
    expect(await apply('turn')).toMatchObject({ code: 0, stdout: '' });
    expect(git('status', '--porcelain')).not.toContain('.perdure');
  });

  it('takes a folder that has folders alone for none', async () => {
    mkdirSync(at('dir', 'a', 'b'), { recursive: true });
    expect(await apply('turn')).toMatchObject({ code: 0 });
    expect(readFileSync(at('dir'), 'utf8')).toBe('now a file\n');
  });

  it('changes nothing where somebody has put another file into a folder that goes, an ignored one too', async () => {
    writeFileSync(at('dir', 'mine.log'), 'mine\n');
    expect(await apply('turn')).toMatchObject({ code: 1, stderr: expect.stringContaining('`dir/mine.log`') as string });
    expect([existsSync(at('dir', 'f')), existsSync(at('dir', 'mine.log'))]).toEqual([true, true]);
    expect(lstatSync(at('file')).isFile()).toBe(true);
  });

  it('changes nothing where a file or a link stands in place of a folder that comes', async () => {
    rmSync(at('link'));
    symlinkSync('/tmp', at('link'));
    expect(await apply('turn')).toMatchObject({ code: 1, stderr: expect.stringContaining('`link`') as string });
    expect([readlinkSync(at('link')), existsSync(at('dir', 'f'))]).toEqual(['/tmp', true]);
  });

  it('leaves to a file who may read it, and changes one that has other names without those', async () => {
    chmodSync(at('secret.txt'), 0o600);
    const other = join(at('.perdure'), 'other-name');
    linkSync(at('notes.txt'), other);
    expect(await apply('turn')).toMatchObject({ code: 0 });
    expect(statSync(at('secret.txt')).mode & 0o777).toBe(0o600);
    expect(readFileSync(at('notes.txt'), 'utf8')).toBe('one\nmore\n');
    expect(readFileSync(other, 'utf8')).toBe('one\n');
    rmSync(other);
  });

  it('knows a file that is too large for memory to be another', async () => {
    truncateSync(at('notes.txt'), 2 ** 31 + 1);
    expect(await apply('second')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('1 file here is not as `second` found it: `notes.txt`') as string,
    });
  });

  it('leaves what is changed while it writes as it is, and brings the rest when it is done again', async () => {
    const { process: applying, finished } = project.start('workspace', 'apply', 'large');
    await until(() => readdirSync(project.folder).some((name) => /^\.[0-9a-f]{16}\.perdure$/.test(name)));
    applying.kill('SIGSTOP');
    expect(existsSync(at('zz'))).toBe(false);
    writeFileSync(at('zz'), 'mine\n');
    applying.kill('SIGCONT');
    expect(await finished).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('`zz` was changed while') as string,
    });
    expect(readFileSync(at('zz'), 'utf8')).toBe('mine\n');
    expect(readdirSync(project.folder).filter((name) => name.endsWith('.perdure') && name !== '.perdure')).toEqual([]);
    rmSync(at('zz'));
    expect(await apply('large')).toMatchObject({ code: 0, stdout: 'zz\n' });
    expect(await apply('large')).toMatchObject({ code: 0, stdout: '' });
  });

  it('leaves no half of a file on a full disk, says so, and goes on once there is room', async () => {
    // As a disk without room does, a limit refuses what is written beyond it, once its signal is ignored.
    const ignore = `--import=data:text/javascript,process.on('SIGXFSZ',()=>{})`;
    const small = projectAt(project.folder, { NODE_OPTIONS: ignore }, ['sh', '-c', 'ulimit -f 8192; exec "$@"', 'sh']);
    const before = readdirSync(project.folder).sort();
    expect(await small.run('workspace', 'apply', 'large')).toEqual({
      code: 3,
      signal: null,
      stdout: '',
      stderr:
        'Error: Cannot write `a-large`: the file would be too large (EFBIG).\n' +
        '  Change that, and apply again: it goes on where it was ended.\n',
    });
    expect(readdirSync(project.folder).sort()).toEqual(before);
    expect(await small.run('workspace', 'export', 'large', 'out')).toEqual({
      code: 3,
      signal: null,
      stdout: '',
      stderr:
        'Error: Cannot write `out/a-large`: the file would be too large (EFBIG).\n' +
        '  Change that, remove `out`, which has not all, and export again.\n',
    });
    expect(existsSync(at('out', 'a-large'))).toBe(false);
    expect(await apply('large')).toMatchObject({ code: 0, stdout: 'a-large\nzz\n' });
  });

  it('names a way to merge that works, where two runs have changed one file', async () => {
    expect(await apply('first')).toMatchObject({ code: 0 });
    const { code, stderr } = await apply('second');
    expect([code, stderr]).toEqual([1, expect.stringContaining('`notes.txt`')]);
    git('add', '-A');
    git('commit', '-q', '-m', 'First');
    const told = /merge: `(git fetch [^`]+ && git merge FETCH_HEAD)`/.exec(stderr)?.[1] ?? 'false';
    expect(() => execFileSync('sh', ['-c', told], { cwd: project.folder, stdio: 'pipe' })).toThrow();
    expect(readFileSync(at('notes.txt'), 'utf8')).toMatch(/<<<<<<< HEAD\nfirst\n=======\nsecond\n>>>>>>> /);
    git('merge', '--abort');
  });
});

describe('workspace of a project below the top of a repository', () => {
  it('prints patches that git applies there, names commands that work there, and another way to merge', async () => {
    const inner = projectAt(at('the inner'));
    mkdirSync(at('the inner'));
    for (const [name, text] of Object.entries({
      'perdure.yml': '{}\n',
      '.gitignore': '.perdure\n',
      'notes.txt': 'one\n',
      'first.yml': work('first'),
      'first.sh': SCRIPTS.first,
      'here.yml': 'name: here\nsteps:\n  - {id: one, command: [sh, ./first.sh]}\n',
    }))
      writeFileSync(join(inner.folder, name), text);
    try {
      expect(await inner.run('trust')).toMatchObject({ code: 0 });
      const begin = (): void => {
        writeFileSync(join(inner.folder, 'notes.txt'), 'one\n');
        rmSync(join(inner.folder, 'new.txt'), { force: true });
      };
      for (const run of ['first', 'here']) {
        begin();
        expect(await inner.run('run', `${run}.yml`, '--id', `in-${run}`)).toMatchObject({ code: 0 });
        begin();
        const { stdout } = await inner.run('workspace', 'diff', `in-${run}`);
        execFileSync('git', ['apply'], { cwd: inner.folder, input: stdout });
        expect(readFileSync(join(inner.folder, 'notes.txt'), 'utf8'), run).toBe('first\n');
        expect(readFileSync(join(inner.folder, 'new.txt'), 'utf8')).toBe('new\n');
      }
      const told =
        /`(git fetch [^`]+)`/.exec((await inner.run('workspace', 'show', 'in-first')).stderr)?.[1] ?? 'false';
      execFileSync('sh', ['-c', told], { cwd: inner.folder, stdio: 'pipe' });
      expect(git('show', 'FETCH_HEAD:new.txt')).toBe('new\n');
      writeFileSync(join(inner.folder, 'notes.txt'), 'mine\n');
      const { code, stderr } = await inner.run('workspace', 'apply', 'in-first');
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('perdure workspace diff in-first | git apply --reject'),
      ]);
    } finally {
      await inner.close();
    }
  });
});

it('names a way to the commits of a run of a project that has no repository', async () => {
  const plain = await openProject({ 'notes.txt': 'one\n', 'first.yml': work('first'), 'first.sh': SCRIPTS.first });
  try {
    expect(await plain.run('run', 'first.yml', '--id', 'first')).toMatchObject({ code: 0 });
    const told = /`(git clone [^`]+)`/.exec((await plain.run('workspace', 'show', 'first')).stderr)?.[1] ?? 'false';
    execFileSync('sh', ['-c', told], { cwd: plain.folder, stdio: 'pipe' });
    expect(readFileSync(join(plain.folder, 'first', 'new.txt'), 'utf8')).toBe('new\n');
  } finally {
    await plain.close();
  }
});
