// @module-tag git
// @seconds 45
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/plan/values/json.js';
import { removeFolder } from '../../src/store/folders/remove.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const WORK = `name: work
steps:
  - id: change
    command:
      - sh
      - -c
      - |
        printf 'three\\n' >> notes/old.txt; rm gone.txt; mkdir made; printf 'a\\0b' > made/data.bin
        printf 'new\\n' > 'made/new file.txt'; touch ignored.log
  - id: ok
    approval: "Good?"
`;
const LOOK = 'name: look\nsteps:\n  - id: see\n    command: [cat, notes/old.txt]\n    effect: none\n';

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'work.yml': WORK,
    'look.yml': LOOK,
    '.gitignore': '*.log\n',
    'notes/old.txt': 'one\ntwo\n',
    'gone.txt': 'x\n',
  });
  execFileSync('git', ['init', '--quiet', project.folder]);
  expect(await project.run('run', 'work.yml', '--id', 'w', '--no-wait')).toMatchObject({ code: 4 });
});
afterAll(() => project.close());

const json = async (...args: string[]): Promise<Json> =>
  JSON.parse((await project.run(...args, '--json')).stdout) as Json;
const CHANGES = [
  { path: 'gone.txt', change: 'deleted', lines_added: 0, lines_deleted: 1 },
  { path: 'made/data.bin', change: 'added', lines_added: null, lines_deleted: null },
  { path: 'made/new file.txt', change: 'added', lines_added: 1, lines_deleted: 0 },
  { path: 'notes/old.txt', change: 'modified', lines_added: 1, lines_deleted: 0 },
];

describe('workspace', () => {
  it('shows what has changed since an open run started', async () => {
    expect(await json('workspace', 'show', 'w')).toEqual(CHANGES);
    const { stdout, stderr } = await project.run('workspace', 'show', 'w/inner');
    expect(stdout).toBe('D  gone.txt  -1\nA  made/data.bin\nA  made/new file.txt  +1\nM  notes/old.txt  +1\n');
    expect(stderr).toBe('4 files have changed since `w` started.\n');
  });

  it('shows of a closed run what it left, whatever came later, also without a server', async () => {
    expect(await project.run('approve', 'w')).toMatchObject({ code: 0 });
    expect(await project.run('watch', 'w')).toMatchObject({ code: 0 });
    writeFileSync(join(project.folder, 'notes/old.txt'), 'later\n');
    await project.run('server', 'stop');
    expect(await json('workspace', 'show', 'w')).toEqual(CHANGES);
    expect((await project.run('workspace', 'show', 'w')).stderr).toBe('4 files have changed while `w` ran.\n');
    expect(await json('server', 'status')).toEqual({ phase: 'stopped' });
  });

  it('prints a patch that makes the one state of the other', async () => {
    await project.run('workspace', 'export', 'w', 'then', '--at', 'start');
    const { stdout } = await project.run('workspace', 'diff', 'w');
    execFileSync('git', ['apply', '-p1'], {
      cwd: join(project.folder, 'then'),
      input: stdout,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: project.folder },
    });
    await project.run('workspace', 'export', 'w', 'now');
    const files = (name: string): [string, string][] =>
      readdirSync(join(project.folder, name), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry): [string, string] => {
          const path = join(entry.parentPath, entry.name);
          return [path.slice(join(project.folder, name).length), readFileSync(path, 'latin1')];
        })
        .sort();
    expect(files('then')).toEqual(files('now'));
    expect(files('now')).toContainEqual(['/made/data.bin', 'a\0b']);
  });

  it('compares only what is named, from the folder where it is typed', async () => {
    const { stdout } = await project.runIn('notes', 'workspace', 'diff', 'w', 'old.txt');
    expect(stdout).toBe(
      'diff --git a/notes/old.txt b/notes/old.txt\nindex 814f4a4..4cb29ea 100644\n--- a/notes/old.txt\n+++ ' +
        'b/notes/old.txt\n@@ -1,2 +1,3 @@\n one\n two\n+three\n',
    );
    expect(await json('workspace', 'diff', 'w', 'made/')).toMatchObject([
      { path: 'made/data.bin' },
      { path: 'made/new file.txt', patch: expect.stringContaining('\n+new\n') as string },
    ]);
  });

  it('names the files that it knows nothing of, though the run has hidden them for its end alone', async () => {
    writeFileSync(
      join(project.folder, 'hides.yml'),
      'name: hides\nsteps:\n  - id: change\n' +
        `    command: [sh, -c, "git init -q lib; mkdir new; echo '*' > new/.gitignore; ` +
        `echo x > \\"$(printf 'odd\\\\377')\\""]\n`,
    );
    expect(await project.run('run', 'hides.yml', '--id', 'hides')).toMatchObject({ code: 0 });
    for (const name of readdirSync(Buffer.from(project.folder), { encoding: 'buffer' }))
      if (name.includes(0xff)) rmSync(Buffer.concat([Buffer.from(`${project.folder}/`), name]));
    for (const command of [['show'], ['diff'], ['export', 'hidden']]) {
      const [action = '', ...more] = command;
      const { code, stderr } = await project.run('workspace', action, 'hides', ...more);
      expect([code, stderr]).toEqual([0, expect.stringContaining('Without `odd\ufffd`: names that are no UTF-8.')]);
      expect(stderr).toContain('Without the files of `lib`: git of its own.');
      expect(stderr).toContain('Without what `new/.gitignore` has git ignore, itself too: look there.');
    }
    await removeFolder(join(project.folder, 'new'));
    await removeFolder(join(project.folder, 'lib'));
  });

  it('gives each file its own patch, also behind one that became a link', async () => {
    writeFileSync(
      join(project.folder, 'links.yml'),
      'name: links\nsteps:\n  - id: change\n    command: [sh, -c, "ln -sf look.yml work.yml; echo more >> zz.txt"]\n',
    );
    expect(await project.run('run', 'links.yml', '--id', 'links')).toMatchObject({ code: 0 });
    const [link, other, ...more] = (await json('workspace', 'diff', 'links')) as { path: string; patch: string }[];
    expect([link?.path, other?.path, more]).toEqual(['work.yml', 'zz.txt', []]);
    expect(link?.patch).toContain('+look.yml');
    expect(other?.patch).toMatch(/^diff --git a\/zz\.txt b\/zz\.txt\n[^]*\+more\n$/);
    writeFileSync(join(project.folder, 'look.yml'), LOOK);
    rmSync(join(project.folder, 'work.yml'));
    writeFileSync(join(project.folder, 'work.yml'), WORK);
  });

  it('writes the files that a run changed into a folder of their own', async () => {
    expect(await json('workspace', 'export', 'w', 'out/copy', '--changed')).toEqual([
      'made/data.bin',
      'made/new file.txt',
      'notes/old.txt',
    ]);
    expect(readFileSync(join(project.folder, 'out/copy/notes/old.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    expect(existsSync(join(project.folder, 'out/copy/gone.txt'))).toBe(false);
  });

  it.each([
    ['an unknown run', ['show', 'nosuch'], 2, 'There is no run `nosuch`.'],
    ['a folder that is not empty', ['export', 'w', 'notes'], 2, 'Expected `notes` to be empty, got 1 entries.'],
    [
      'a file in place of a folder',
      ['export', 'w', 'work.yml'],
      2,
      'Expected `work.yml` to be a folder, or nothing yet.',
    ],
    ['no folder', ['export', 'w'], 2, 'Expected one folder to write to after the run.'],
    ['a path outside', ['diff', 'w', '../x'], 2, 'Expected a path in `'],
    ['an option of another action', ['show', 'w', '--changed'], 2, '`--changed` belongs to `workspace export`.'],
    ['paths that it does not take', ['show', 'w', 'notes'], 2, '`workspace show` takes no paths.'],
  ])('tells %s', async (_what, args, code, message) => {
    expect(await project.run('workspace', ...args)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(message) as string,
    });
  });

  it('keeps nothing for a run that changes no files, for a rehearsal, or where perdure.yml says so', async () => {
    const without = await openProject({
      'work.yml': WORK,
      'look.yml': LOOK,
      'notes/old.txt': 'x\n',
      'gone.txt': 'x\n',
    });
    try {
      execFileSync('git', ['init', '--quiet', without.folder]);
      expect(await without.run('run', 'look.yml', '--id', 'look')).toMatchObject({ code: 0 });
      expect(await without.run('run', 'work.yml', '--id', 'rehearsed', '--rehearse', '--yes')).toMatchObject({
        code: 0,
      });
      writeFileSync(join(without.folder, 'perdure.yml'), 'workspace: {snapshots: false}\n');
      mkdirSync(join(without.folder, 'below'));
      expect(await without.run('run', 'work.yml', '--id', 'off', '--yes')).toMatchObject({ code: 0 });
      expect(existsSync(join(without.folder, '.perdure/snapshots'))).toBe(false);
      expect(await without.run('workspace', 'show', 'off')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The files that `off` found were not kept.') as string,
      });
    } finally {
      await without.close();
    }
  });

  it('says nothing of what is there now in the name of a run whose end git could not keep', async () => {
    const folder = join(project.folder, 'large');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'big.yml'),
      'name: big\nsteps:\n  - {id: fill, command: [sh, -c, "truncate -s 1T huge; echo evil > left.txt"]}\n',
    );
    expect(await project.run('run', 'large/big.yml', '--id', 'big')).toMatchObject({ code: 0 });
    // What it left is put away before a person looks.
    for (const name of ['huge', 'left.txt']) rmSync(join(project.folder, name));
    const { code, stdout, stderr } = await project.run('workspace', 'show', 'big');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('The files as `big` left them were not kept');
    expect(stderr).toContain('or a `.gitignore` whose patterns take long');
    expect((await project.run('workspace', 'diff', 'big')).code).toBe(1);
    // What it found was.
    expect((await project.run('workspace', 'export', 'big', 'before', '--at', 'start')).code).toBe(0);
  });
});

describe('workspace of a run in a work tree', () => {
  const ALONE =
    '    command: [sh, -c, "mkdir -p drafts; echo a draft > drafts/one.txt; rm notes/away.txt; git init -q other"]\n';
  const TREE = (name: string, rest = ''): string =>
    `name: ${name}\nworkspace: worktree\nsteps:\n  - id: draft\n${ALONE}${rest}`;

  beforeAll(() => {
    writeFileSync(join(project.folder, 'alone.yml'), TREE('alone'));
    const commits = '  - {id: page, command: [sh, -c, "echo page > page.txt"], commit: "writer: a page"}\n';
    writeFileSync(join(project.folder, 'both.yml'), TREE('both', commits));
    writeFileSync(join(project.folder, 'notes/away.txt'), 'x\n');
  });

  it('that commits nothing is about all that its steps have left there', async () => {
    const odd = Buffer.from(join(project.folder, 'caf\u00e9.txt'), 'latin1');
    writeFileSync(odd, 'x');
    const name = 'd'.repeat(200);
    const deep = `for (let i = 0; i < 30; i += 1) { fs.mkdirSync('${name}'); process.chdir('${name}'); }`;
    execFileSync(process.execPath, ['-e', deep], { cwd: project.folder });
    const ran = await project.run('run', 'alone.yml', '--id', 'alone');
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('`perdure workspace show alone`') as string });
    const { stdout, stderr } = await project.run('workspace', 'show', 'alone');
    expect(stdout).toBe('A  drafts/one.txt  +1\nD  notes/away.txt  -1\n');
    expect(stderr).toContain('2 files have changed while `alone` ran.');
    expect(stderr).toContain('Without the files of `other`: git of its own.');
    expect(stderr).toContain('Without `caf\ufffd.txt`: names that are no UTF-8.');
    expect(stderr).toMatch(/Without `d{199}…`: it may not be read, or has too long a path\./);
    rmSync(odd);
    await removeFolder(join(project.folder, name));
    expect(stderr).not.toContain('git fetch');
    expect(existsSync(join(project.folder, 'drafts'))).toBe(false);
    expect((await project.run('workspace', 'apply', 'alone')).stdout).toBe('drafts/one.txt\nnotes/away.txt\n');
    expect(readFileSync(join(project.folder, 'drafts/one.txt'), 'utf8')).toBe('a draft\n');
    expect(existsSync(join(project.folder, 'notes/away.txt'))).toBe(false);
  });

  it('that commits is about its commits, and tells what is in none', async () => {
    writeFileSync(join(project.folder, 'notes/away.txt'), 'x\n');
    rmSync(join(project.folder, 'drafts'), { recursive: true });
    expect(await project.run('run', 'both.yml', '--id', 'both')).toMatchObject({ code: 0 });
    const { stdout, stderr } = await project.run('workspace', 'show', 'both');
    expect(stdout).toBe('A  page.txt  +1\n');
    expect(stderr).toContain('In no commit: 2 files, which stand in `.perdure/worktrees/both/trees/main`.');
    expect((await project.run('workspace', 'apply', 'both')).stdout).toBe('page.txt\n');
    expect(existsSync(join(project.folder, 'drafts'))).toBe(false);
  });
});
