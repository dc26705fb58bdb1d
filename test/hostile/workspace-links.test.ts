// @seconds 30
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inFolderOf, openFile, removeEntry, replaceFile, withRoot } from '../../src/activities/workspace/open.js';
import { guardMissing } from '../../src/activities/tools/shell/guard.js';
import { createAside } from '../../src/activities/workspace/set-aside.js';
import { findSandbox } from '../../src/activities/tools/shell/sandbox.js';
import { removeFolder } from '../../src/store/folders/remove.js';
import { readPlain, readPlainNow } from '../../src/store/read-plain.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';
import { asSomebody, giveAway } from './somebody.js';

const PLANTED = ['.git/commondir', '.git/info/attributes', '.vscode'];
let context: Awaited<ReturnType<typeof toolContext>>;
let victim: string;
let before: string[];
/** At least so many, and until both have been met: what swaps may not run for a while on a busy machine. */
const ROUNDS = 1_000;
const isEnough = (rounds: number, met: number): boolean => rounds >= ROUNDS && met > 0 && met < rounds;

const inWorkspace = (...parts: string[]): string => join(context.workspace, ...parts);
const stateOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${lstatSync(path).mode} ${entry.isFile() ? readFileSync(path, 'utf8') : ''}`;
    })
    .sort();
/** A program in the sandbox, as an agent has it. */
const python = async (script: string): Promise<string> =>
  JSON.stringify(await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', script] }, context));

beforeEach(async () => {
  expect(await findSandbox()).not.toBeNull();
  context = await toolContext({}, mkdtempSync(join(tmpdir(), 'perdure-links-')));
  victim = join(dirname(context.workspace), 'victim');
  for (const folder of ['hooks', 'info', 'x']) mkdirSync(join(victim, folder), { recursive: true });
  for (const file of ['config', 'hooks/pre-commit', 'info/attributes', 'tasks.json', 'a.txt', 'x/a.txt'])
    writeFileSync(join(victim, file), `canary ${file}`);
  before = stateOf(victim);
});
afterEach(() => {
  expect(stateOf(victim)).toEqual(before);
  return removeFolder(dirname(context.workspace)); // what is kept may be deep
});

describe('what a command makes where something protected would be', () => {
  it.each([
    ['a link for `.git`', "os.symlink(V, '.git')", '.git'],
    [
      'a link for `.git` to a folder of its own',
      "os.mkdir('own'); open('own/config', 'w').write('x'); os.symlink('own', '.git')",
      '.git',
    ],
    ['a file for `.git`', "open('.git', 'w').write('gitdir: ' + V)", '.git'],
    [
      'a repository',
      "os.makedirs('.git/hooks'); open('.git/hooks/pre-commit', 'w').write('x'); open('.git/config', 'w').write('x')",
      '.git/config',
    ],
    [
      'a link in a repository',
      "os.makedirs('.git'); os.symlink(V + '/hooks', '.git/hooks'); os.symlink(V + '/config', '.git/config'); " +
        "os.symlink(V + '/info', '.git/info')",
      '.git/hooks',
    ],
    ['a link for a folder', "os.symlink(V, '.vscode'); os.symlink(V, 'definitions')", '.vscode'],
    ['a link for a file', "os.symlink(V + '/config', 'perdure.yml')", 'perdure.yml'],
    [
      'a pipe and a socket',
      "os.mkfifo('perdure.yml'); import socket; socket.socket(socket.AF_UNIX).bind('.mcp.json')",
      'perdure.yml',
    ],
    [
      'a folder that nobody may write to',
      "os.makedirs('.vscode/a/b'); open('.vscode/a/b/c', 'w'); os.chmod('.vscode/a/b', 0o500); " +
        "os.chmod('.vscode/a', 0o500)",
      '.vscode',
    ],
    [
      'names that are no UTF-8',
      "os.makedirs(b'.vscode/\\xff\\xfe'); open(b'.vscode/\\xff\\xfe/\\xfd', 'w')",
      '.vscode',
    ],
    [
      'three thousand folders in one another',
      "os.mkdir('.vscode'); os.chdir('.vscode')\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')",
      '.vscode',
    ],
  ])('%s is taken away itself, and nothing else is', async (_name, script, made) => {
    const said = await python(`import os\nV = ${JSON.stringify(victim)}\n${script}`);
    expect(said).toContain('which is protected; it was put back');
    expect(existsSync(inWorkspace(made)) || lstatSync(inWorkspace(made), { throwIfNoEntry: false }) !== undefined).toBe(
      false,
    );
  });

  it.each([0o311, 0o500, 0o100])(
    'is taken away where a folder has rights by which nobody lists or writes it: %o',
    async (mode) => {
      mkdirSync(inWorkspace('.git', 'info'), { recursive: true });
      for (const path of ['..', '', '.git', '.git/info']) chmodSync(inWorkspace(path), 0o777);
      giveAway(inWorkspace('.git'));
      await asSomebody(async () => {
        const guard = guardMissing(context.workspace, PLANTED, createAside(context));
        mkdirSync(inWorkspace('.vscode'));
        for (const path of [...PLANTED.slice(0, 2), '.vscode/tasks.json']) writeFileSync(inWorkspace(path), 'evil');
        for (const path of ['.vscode', '.git/info', '.git']) chmodSync(inWorkspace(path), mode);
        expect(await guard()).toEqual(PLANTED);
      });
      for (const path of PLANTED) expect(existsSync(inWorkspace(path))).toBe(false);
    },
  );

  it('is taken away of a command that was ended, too', async () => {
    const abort = new AbortController();
    const run = callTool(
      { kind: 'builtin', name: 'shell' },
      {
        argv: [
          'python3',
          '-c',
          `import os, time\nos.symlink(${JSON.stringify(victim)}, '.git')\nprint('made', flush=True)\ntime.sleep(600)`,
        ],
      },
      { ...context, signal: abort.signal },
    );
    await expect.poll(() => context.logged.join('')).toContain('made');
    abort.abort(new Error('ended'));
    await expect(run).rejects.toThrow();
    expect(lstatSync(inWorkspace('.git'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('a link of a person stays one, is put back, and shows nothing of where it leads', async () => {
    symlinkSync(victim, inWorkspace('.vscode'));
    expect(await python("print(open('.vscode/tasks.json').read())")).not.toContain('canary');
    expect(
      await python("import os\nos.remove('.vscode'); os.mkdir('.vscode'); open('.vscode/tasks.json', 'w').write('x')"),
    ).toContain('which is protected');
    expect(readlinkSync(inWorkspace('.vscode'))).toBe(victim);
  });

  it('what a link of a person leads to in the workspace is protected as well', async () => {
    mkdirSync(inWorkspace('shared'));
    symlinkSync('shared', inWorkspace('definitions'));
    expect(await python("open('definitions/x.yml', 'w')")).toContain('Read-only');
    expect(await python("open('shared/x.yml', 'w')")).toContain('Read-only');
  });

  it('stays what it is where the folder that holds it is moved away, and another one put in its place', async () => {
    context.permissions.protected = [...context.permissions.protected, '/docs/rules/law.md'];
    for (const folder of ['docs/rules', 'conf']) mkdirSync(inWorkspace(folder), { recursive: true });
    writeFileSync(inWorkspace('docs/rules/law.md'), 'law');
    writeFileSync(inWorkspace('conf/own.yml'), 'models: {}');
    symlinkSync('conf/own.yml', inWorkspace('perdure.yml'));
    const said = await python(`import os
def put(outer, path):
    try: os.rename(outer, outer + '-away')
    except OSError as error: print('kept', outer, error.strerror)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try: open(path, 'w').write('evil')
    except OSError as error: print('kept', path, error.strerror)
put('docs', 'docs/rules/law.md'); put('docs/rules', 'docs/rules/law.md'); put('conf', 'conf/own.yml')
open('docs/rules/more.md', 'w').write('more'); open('docs/b.md', 'w').write('b')`);
    expect(readFileSync(inWorkspace('docs/rules/law.md'), 'utf8')).toBe('law');
    expect(readFileSync(inWorkspace('perdure.yml'), 'utf8')).toBe('models: {}');
    expect(said.match(/kept (?:docs|docs\/rules|conf) Device or resource busy/g)).toHaveLength(3);
    expect(readFileSync(inWorkspace('docs/rules/more.md'), 'utf8')).toBe('more');
  });

  it('the file of a work tree says where its repository is, whatever a command would like', async () => {
    writeFileSync(inWorkspace('.git'), 'gitdir: ../elsewhere\n');
    expect(await python("open('.git', 'w').write('gitdir: own')")).toContain('Read-only');
    expect(await python("import os\nos.rename('.git', 'other')")).toContain('busy');
    expect(readFileSync(inWorkspace('.git'), 'utf8')).toBe('gitdir: ../elsewhere\n');
  });
});

describe('a folder that another process swaps for a link all the time', () => {
  let swapper: ChildProcess;
  beforeEach(async () => {
    mkdirSync(inWorkspace('x'));
    writeFileSync(inWorkspace('x', 'a.txt'), 'own');
    symlinkSync(join(victim, 'x'), inWorkspace('link'));
    const script =
      `import os, ctypes\nos.chdir(${JSON.stringify(context.workspace)})\nlibc = ctypes.CDLL(None)\nprint('on', ` +
      `flush=True)\nwhile True:\n  libc.renameat2(-100, b'x', -100, b'link', 2)\n`;
    swapper = spawn('python3', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise((resolve) => {
      swapper.stdout?.once('data', resolve);
    });
  });
  afterEach(() => {
    swapper.kill('SIGKILL');
  });

  it('is never read through', async () => {
    let own = 0;
    for (let round = 0; !isEnough(round, own); round += 1) {
      const text = await inFolderOf(context.workspace, 'x/a.txt', {}, async (folder, name) => {
        const { handle } = await openFile(folder, name);
        return handle.readFile('utf8').finally(() => handle.close());
      }).catch(() => '');
      expect(text).not.toContain('canary');
      own += text === 'own' ? 1 : 0;
    }
  });

  it('is never written through', async () => {
    let written = 0;
    for (let round = 0; !isEnough(round, written); round += 1) {
      await inFolderOf(context.workspace, 'x/b.txt', { make: true }, (folder, name) =>
        replaceFile(folder, name, 'changed'),
      ).then(
        () => {
          written += 1;
        },
        () => undefined,
      );
    }
  });

  it('is never emptied through', async () => {
    await withRoot(context.workspace, async (root) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await inFolderOf(context.workspace, 'x/y/z.txt', { make: true }, (folder, name) =>
          replaceFile(folder, name, 'more'),
        ).catch(() => undefined);
        await inFolderOf(context.workspace, 'x/a.txt', {}, (folder) => removeEntry(folder, 'a.txt')).catch(
          () => undefined,
        );
        await inFolderOf(context.workspace, 'x/y', {}, (folder) => removeEntry(folder, 'y')).catch(() => undefined);
      }
      swapper.kill('SIGKILL');
      await removeEntry(root, 'x');
      await removeEntry(root, 'link');
    });
    expect(readdirSync(context.workspace).filter((name) => name === 'x' || name === 'link')).toEqual([]);
  });
});

describe('a file that is none', () => {
  it('is read neither as a pipe, nor as a device, nor through a link, and is not waited for', async () => {
    execFileSync('mkfifo', [inWorkspace('pipe')]);
    symlinkSync(join(victim, 'a.txt'), inWorkspace('a.txt'));
    expect(
      await Promise.all(
        [inWorkspace('pipe'), '/dev/zero', inWorkspace('a.txt'), context.workspace, inWorkspace('none')].map((path) =>
          readPlain(path, 1_000),
        ),
      ),
    ).toEqual([null, null, null, null, null]);
    expect(
      [inWorkspace('pipe'), '/dev/zero', inWorkspace('a.txt'), context.workspace, inWorkspace('none')].map((path) =>
        readPlainNow(path, 1_000),
      ),
    ).toEqual([null, null, null, null, null]);
  });
});
