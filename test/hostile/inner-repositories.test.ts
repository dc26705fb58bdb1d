// @module-tag sandbox
// @module-tag git
// @module-tag python3
// @seconds 20
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fixedIn } from '../../src/activities/tools/shell/fixed-in.js';
import { guardWorkspace } from '../../src/activities/tools/shell/misleading.js';
import { keptPlaces } from '../../src/activities/workspace/kept-places.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';
import { PLANTS, plantScript } from './git-plants.js';
import { PERSON } from './person.js';

let context: Awaited<ReturnType<typeof toolContext>>;
let outside: string;
const at = (path: string): string => join(context.workspace, path);
const textAt = (path: string): string | null => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
/** Git as the person calls it. */
const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd: folder,
    env: PERSON,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
const repository = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q');
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  git(folder, 'add', 'a.txt');
  git(folder, 'commit', '-qm', 'one');
};
const shell = async (...argv: string[]): Promise<string> =>
  JSON.stringify(await callTool({ kind: 'builtin', name: 'shell' }, { argv }, context));
const python = (script: string): Promise<string> =>
  shell('python3', '-c', `import os, subprocess\nrun = lambda *a: subprocess.run(a, check=True)\n${script}`);
/** What of the folder outside, and the marks that programs leave in it. */
const marks = (): string[] => readdirSync(join(outside, 'marks'));
const MONITOR = '[core]\n\tfsmonitor = ../evil\n';

beforeEach(async () => {
  context = await toolContext();
  outside = join(dirname(context.workspace), 'outside');
  mkdirSync(join(outside, 'marks'), { recursive: true });
  repository(context.workspace);
});

describe('a folder that is a repository itself, without a `.git`, is left with nothing that git starts there', () => {
  const evil = (): string => `#!/bin/sh\ntouch ${join(outside, 'marks', 'pwned')}\n`;
  const plant = (parts: string, config: string): string => `
for path in ('lib/objects', 'lib/refs', 'lib/hooks', 'parts/objects', 'parts/refs'): os.makedirs(path, exist_ok=True)
open('lib/HEAD', 'w').write('ref: refs/heads/x\\n')
for path in ('evil', 'lib/hooks/post-checkout'):
    open(path, 'w').write(${JSON.stringify(evil())})
    os.chmod(path, 0o755)
open('${config}', 'w').write('[core]\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = ' + os.getcwd() + '/evil\\n')
${parts}`;

  it.each([
    ['with all its parts', () => plant('', 'lib/config')],
    [
      'with those of another folder',
      () => plant("os.rmdir('lib/objects'); open('lib/commondir', 'w').write('../parts\\n')", 'parts/config'),
    ],
  ])('%s', async (_what, script) => {
    expect(await python(script())).toMatch(/what `(?:lib|parts)\/config` has git do/);
    spawnSync('git', ['status'], { cwd: at('lib'), env: PERSON });
    spawnSync('git', ['status'], { cwd: at('lib/refs'), env: PERSON });
    expect(marks()).toEqual([]);
  });

  describe('nor by tools for files', () => {
    const write = (path: string, content: string): ReturnType<typeof callTool> =>
      callTool({ kind: 'builtin', name: 'write_file' }, { path, content }, context);
    const told = (path: string): object => ({
      is_error: true,
      content: `\`${path}\` would have git take its folder for a repository, and start what it says: use git.`,
    });

    it('that make one of what is there', async () => {
      for (const path of ['lib/objects/x', 'lib/config'])
        expect(await write(path, MONITOR)).toMatchObject({ is_error: false });
      expect(await write('lib/refs/x', 'x')).toMatchObject(told('lib/refs'));
      for (const head of ['ref: refs/heads/x\n', 'ref:refs/heads/x', '0'.repeat(40), 'A'.repeat(40), '0'.repeat(64)])
        expect(await write('lib/HEAD', head)).toMatchObject(told('lib/HEAD'));
      expect(await write('docs/HEAD', 'Title')).toMatchObject({ is_error: false });
      for (const path of ['own/commondir', 'other/hooks/update'])
        expect(await write(path, '../parts')).toMatchObject({ is_error: false });
      for (const path of ['own/HEAD', 'other/HEAD'])
        expect(await write(path, 'ref: refs/heads/x')).toMatchObject(told(path));
    });

    it('that change what it starts', async () => {
      git(context.workspace, 'init', '-q', '--bare', 'own.git');
      for (const path of ['config', 'config.worktree', 'commondir', 'hooks/post-update', 'hooks/in/x'])
        expect(await write(`own.git/${path}`, MONITOR)).toMatchObject(told(`own.git/${path}`));
      expect(await write('own.git/hooks/update.sample', 'x')).toMatchObject({ is_error: false });
      expect(await write('own.git/config', '[core]\n\tbare = true\n')).toMatchObject({ is_error: false });
    });

    it('that a command has made but for what git stores, or but for the settings', async () => {
      const head = "open('lib/HEAD', 'w').write('ref: refs/heads/x\\n')";
      const made = `os.makedirs('lib'); ${head}; open('lib/config', 'w').write(${JSON.stringify(MONITOR)})`;
      expect(await python(made)).toContain('what `lib/config` has git do');
      put('lib/config', MONITOR); // as a person may have one
      for (const path of ['lib/objects/x', 'lib/refs/x']) {
        const folder = path.replace(/\/x$/, '');
        expect(await write(path, 'x')).toMatchObject(told(folder));
        expect(existsSync(at(folder))).toBe(false);
      }
      expect(await write('lib/objects.md', 'x')).toMatchObject({ is_error: false });
      for (const name of ['objects', 'refs']) mkdirSync(at(`parts/${name}`), { recursive: true });
      for (const path of ['config', 'config.worktree', 'hooks/update'])
        expect(await write(`parts/${path}`, MONITOR)).toMatchObject(told(`parts/${path}`));
      expect(await write('parts/config', '[core]\n\tbare = true\n')).toMatchObject({ is_error: false });
      expect(await write('src/config', MONITOR)).toMatchObject({ is_error: false });
      expect(await write('src/objects/x', 'x')).toMatchObject({ is_error: false });
      expect(await write('src/hooks/x', 'x')).toMatchObject({ is_error: false });
      expect(await write('src/refs/x', 'x')).toMatchObject(told('src/refs'));
    });

    it('for what has its parts in another folder', async () => {
      const parts = "for path in ('lib', 'parts/objects', 'parts/refs'): os.makedirs(path)";
      const head = "open('lib/HEAD', 'w').write('ref: refs/heads/x\\n')";
      const made = `${parts}\n${head}; open('lib/commondir', 'w').write('../parts\\n')`;
      expect(await python(made)).toContain('`lib/commondir`');
      expect([existsSync(at('lib/HEAD')), existsSync(at('lib/commondir'))]).toEqual([true, false]);
    });

    it('of which two are written at once', async () => {
      for (const round of Array.from({ length: 20 }).keys()) {
        const parts = { HEAD: 'ref: refs/heads/x', config: MONITOR };
        await Promise.all(Object.entries(parts).map(([name, text]) => write(`lib-${round}/${name}`, text)));
        expect(Object.keys(parts).filter((name) => existsSync(at(`lib-${round}/${name}`))).length).toBeLessThan(2);
      }
    });

    it('but a text that only reads like one is written', async () => {
      for (const path of ['fixtures/HEAD', 'fixtures/HEAD', 'hooks/pre-commit', 'config'])
        expect(await write(path, 'ref: refs/heads/main\n')).toMatchObject({ is_error: false });
      expect(await write('fixtures/config', MONITOR)).toMatchObject(told('fixtures/config'));
    });
  });

  it('nor a hook that git can start since a command ran', async () => {
    git(context.workspace, 'init', '-q', '--bare', 'own.git');
    put('own.git/hooks/post-update', evil());
    expect(await shell('chmod', '+x', 'own.git/hooks/post-update')).toContain('own.git/hooks/post-update');
    git(context.workspace, 'push', '-q', 'own.git', 'HEAD:refs/heads/main');
    expect([marks(), textAt('own.git/hooks/post-update')]).toEqual([[], evil()]);
  });

  it('but is made, and gone on with, as git makes one', async () => {
    git(context.workspace, 'init', '-q', '--bare', 'own.git');
    expect(await shell('git', 'init', '-q', '--bare', 'lib.git')).toContain('"exit_code":0');
    expect(await python("run('git', 'push', '-q', 'lib.git', 'HEAD:refs/heads/main')")).toContain('"exit_code":0');
    expect(await python("run('git', 'push', '-q', 'own.git', 'HEAD:refs/heads/main')")).toContain('"exit_code":0');
  });
});

it('an agent plants in no repository inside what a person starts by git at the top', async () => {
  const plants = Object.entries(PLANTS).flatMap(([name, plant]) =>
    ['', 'a/b/c/d/'].map((above) => {
      const slug = `in-${name.replaceAll(/[^a-z]+/g, '-')}`;
      return [above + slug, plantScript(plant), join(outside, 'marks', slug), outside];
    }),
  );
  put('plants.json', JSON.stringify(plants));
  put(
    'plant.py',
    "import json, os, subprocess\nos.makedirs('a/b/c/d')\n" +
      "for place, *words in json.load(open('plants.json')):\n" +
      "  subprocess.run(['sh', '-c', words[0], 'sh', place, *words[1:]], timeout=200)\n",
  );
  expect(await shell('python3', 'plant.py')).toContain('/.git/config` has git do');
  for (const [place = ''] of plants) expect([place, existsSync(at(place))]).toEqual([place, true]);

  // Some of them git does not take for repositories, and ends there.
  const places = plants.flatMap(([place = '']) => [
    ['status', '--', place],
    ['diff', '--submodule=diff', '--', place],
  ]);
  for (const words of [...places, ['add', '.'], ['status'], ['commit', '-qm', 'x'], ...places])
    spawnSync('git', words, { cwd: context.workspace, env: PERSON, stdio: 'ignore', timeout: 20_000 });
  expect(marks()).toEqual([]);
});

describe('a submodule of a person', () => {
  beforeEach(() => {
    repository(join(outside, 'lib'));
    git(context.workspace, 'submodule', 'add', '-q', join(outside, 'lib'), 'a/b/c/d/lib');
    git(context.workspace, 'commit', '-qm', 'lib');
  });

  it('keeps the file by which it is found', async () => {
    const file = textAt('a/b/c/d/lib/.git');
    expect(await python("os.remove('a/b/c/d/lib/.git')")).toContain('busy');
    expect(await python("open('a/b/c/d/lib/.git', 'w').write('gitdir: /x')")).toContain('Read-only');
    expect(await python("os.rename('a/b/c/d/lib', 'lib')")).toMatch(/busy|cross-device/);
    expect(textAt('a/b/c/d/lib/.git')).toBe(file);
    expect(await python("open('a/b/c/d/lib/b.txt', 'w').write('b')")).toContain('"exit_code":0');
  });

  it.each([1, 2, 3, 4])('does so by an index of each form: %d', async (form) => {
    git(context.workspace, 'update-index', ...(form === 1 ? ['--split-index'] : ['--index-version', String(form)]));
    put('b.txt', '');
    git(context.workspace, 'add', '-N', 'b.txt'); // this needs the third one
    expect(await python("os.remove('a/b/c/d/lib/.git')")).toContain('busy');
  });
});

describe('a repository that a command makes', () => {
  it('may be, with settings and commits of its own', async () => {
    const made = `
run('git', 'init', '-q', 'lib')
for key, value in (('user.name', 'a'), ('user.email', 'a@b'), ('commit.gpgsign', 'false'), ('remote.o.url', '../x')):
    run('git', '-C', 'lib', 'config', key, value)
run('git', '-C', 'lib', 'commit', '-q', '--allow-empty', '-m', 'x')`;
    expect(await python(made)).toContain('"exit_code":0');
    expect(git(at('lib'), 'config', 'user.email')).toBe('a@b\n');
    expect(await python("run('git', '-C', 'lib', 'commit', '-q', '--allow-empty', '-m', 'y')")).toContain(
      '"exit_code":0',
    );
    expect(await python("import shutil; shutil.rmtree('lib')")).toContain('"exit_code":0');
  });

  it('keeps none by which git starts programs, and the command is told', async () => {
    const script = `run('git', 'init', '-q', 'lib')\nopen('lib/.git/config', 'a').write(${JSON.stringify(MONITOR)})`;
    expect(await python(script)).toContain('what `lib/.git/config` has git do was made or changed');
    expect(textAt('lib/.git/config')).not.toContain('fsmonitor');
    expect(git(at('lib'), 'config', 'core.bare')).toBe('false\n');
    expect(await python("open('lib/.git/hooks/post-index-change', 'w')")).toContain(
      '`lib/.git/hooks/post-index-change` was made or changed, which is protected; it was put back',
    );
  });

  it.each(['constructor', 'toString', 'config', 'package.json'])('keeps no hook that is called `%s`', async (name) => {
    const script = `
for at, text in (('a', ''), ('b', 'evil')):
    run('git', 'init', '-q', at)
    os.makedirs(at + '/.git/hooks', exist_ok=True)
    open(at + '/.git/hooks/${name}', 'w').write(text)
run('git', 'init', '-q', 'c')
open('c/.git/config', 'a').write(${JSON.stringify(MONITOR)})`;
    expect(await python(script)).toContain('what `c/.git/config` has git do');
    for (const path of ['a', 'b']) expect(textAt(`${path}/.git/hooks/${name}`)).toBe(null);
    expect(textAt('c/.git/config')).not.toContain('fsmonitor');
  });

  it('may be a clone with submodules, or one that has only parts', async () => {
    repository(join(outside, 'sub'));
    repository(join(outside, 'lib'));
    git(join(outside, 'lib'), 'submodule', 'add', '-q', join(outside, 'sub'), 'sub');
    git(join(outside, 'lib'), 'commit', '-qm', 'sub');
    for (const name of ['lib', 'sub']) {
      git(context.workspace, 'clone', '-q', '--bare', join(outside, name), at(`${name}.git`));
      git(at(`${name}.git`), 'config', 'uploadpack.allowFilter', 'true');
    }
    const clone = `
git = lambda *a: run('git', '-c', 'protocol.file.allow=always', '-c', 'safe.bareRepository=all', *a)
git('clone', '-q', 'lib.git', 'lib')
run('git', '-C', 'lib', 'config', 'submodule.sub.url', os.path.abspath('sub.git'))
git('-C', 'lib', 'submodule', '-q', 'update', '--init')
git('clone', '-q', '--filter=blob:none', '--sparse', 'file://' + os.path.abspath('sub.git'), 'part')`;
    expect(await python(clone)).toContain('"exit_code":0');
    expect(textAt('lib/.git/modules/sub/config')).toContain('worktree = ../../../sub');
    expect(textAt('part/.git/config')).toContain('promisor = true');
    expect(await python("run('git', '-C', 'lib/sub', 'config', 'core.worktree', '../../../..')")).toContain(
      'what `lib/.git/modules/sub/config` has git do was made or changed',
    );
  });
});

describe('a repository that a person has in the workspace', () => {
  const HOOK = '#!/bin/sh\ntrue\n';
  beforeEach(() => {
    repository(at('lib'));
    put('lib/.git/config', `${textAt('lib/.git/config') ?? ''}${MONITOR}`);
    put('lib/.git/hooks/pre-commit', HOOK);
  });

  it('stays as it is, whatever it is configured to start', async () => {
    const before = textAt('lib/.git/config');
    expect(await python("open('lib/b.txt', 'w')")).toContain('"exit_code":0');
    expect([textAt('lib/.git/config'), textAt('lib/.git/hooks/pre-commit')]).toEqual([before, HOOK]);
  });

  it('has back what a command changed of that', async () => {
    const before = textAt('lib/.git/config');
    const script = "open('lib/.git/config', 'a').write('[diff]\\nexternal = ../evil\\n')\n";
    const said = await python(`${script}open('lib/.git/hooks/pre-commit', 'a').write('../evil')`);
    expect(said).toContain('`lib/.git/hooks/pre-commit`');
    expect([textAt('lib/.git/config'), textAt('lib/.git/hooks/pre-commit')]).toEqual([before, HOOK]);
    rmSync(at('lib'), { recursive: true });
  });
});

it('what no command can change of a repository with work trees stays as a person has it meanwhile', async () => {
  const { workspace } = context;
  git(workspace, 'worktree', 'add', '-q', join(outside, 'elsewhere'));
  mkdirSync(at('.git/modules'));
  const fixed = await fixedIn({ ...context, projects: [] }, []);
  const settle = await guardWorkspace(workspace, { fixed, kept: keptPlaces(workspace, fixed) }, context);
  git(workspace, 'config', 'core.sshCommand', 'ssh -4');
  put('.git/hooks/post-commit', 'true');
  git(workspace, 'init', '-q', '--bare', '.git/modules/lib');
  put('.git/modules/lib/config', MONITOR);
  expect(await settle()).toEqual([]);
  expect(git(workspace, 'config', 'core.sshCommand')).toBe('ssh -4\n');
  expect([textAt('.git/hooks/post-commit'), textAt('.git/modules/lib/config')]).toEqual(['true', MONITOR]);
});
