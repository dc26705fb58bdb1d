// @module-tag sandbox
// @module-tag python3
// @seconds 15
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { lookNear } from '../../src/activities/workspace/near-root.js';
import type { JsonObject } from '../../src/plan/values/json.js';
import { openStore } from '../../src/store/local-store.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

const BACK = 'was made or changed, which is protected; it was put back';
const NAMES = '{"bin":{"perdure":"evil.js"}}';
let context: Awaited<ReturnType<typeof toolContext>>;

const inWorkspace = (...path: string[]): string => join(context.workspace, ...path);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(inWorkspace(path)), { recursive: true });
  writeFileSync(inWorkspace(path), text);
};
const tool = async (name: 'shell' | 'write_file', args: JsonObject): Promise<string> =>
  JSON.stringify(await callTool({ kind: 'builtin', name }, args, context));
const python = (script: string): Promise<string> => tool('shell', { argv: ['python3', '-c', `import os\n${script}`] });
const make = (path: string, text = ''): string =>
  `os.makedirs(os.path.dirname('${path}') or '.', exist_ok=True); open('${path}', 'w').write('${text}')`;
const isThere = (path: string): boolean => lstatSync(inWorkspace(path), { throwIfNoEntry: false }) !== undefined;

beforeEach(async () => {
  context = await toolContext();
});

describe('what `npx perdure` would start before Perdure itself', () => {
  it.each(['node', 'sh', 'sed'])(
    'is no `node_modules/.bin/%s` of an agent, here or in a folder below',
    async (name) => {
      for (const path of [`node_modules/.bin/${name}`, `a/b/c/node_modules/.bin/${name}`]) {
        expect(await tool('write_file', { path, content: 'evil' })).toContain('is protected');
        expect(await python(make(path))).toContain(`\`${path}\` ${BACK}`);
        expect(isThere(path)).toBe(false);
      }
    },
  );

  it('is no program of a person that an agent has changed', async () => {
    put('a/node_modules/.bin/node', 'own');
    put('node_modules/.bin/node', 'own');
    expect(await python("open('node_modules/.bin/node', 'w')")).toContain('Read-only');
    expect(await python("open('a/node_modules/.bin/node', 'w')")).toContain(BACK);
    expect(await python("os.stat('node_modules/.bin/node')")).toContain('"exit_code":0');
    expect([isThere('a/node_modules/.bin/node'), isThere('node_modules/.bin/node')]).toEqual([false, true]);
  });

  it('takes no packages that have none of it, as a link or as what replaces one', async () => {
    put('main/node_modules/x/index.js', '');
    const outside = join(dirname(context.workspace), 'outside');
    mkdirSync(outside);
    expect(await python("os.symlink('main/node_modules', 'node_modules')")).toContain('"exit_code":0');
    expect(readlinkSync(inWorkspace('node_modules'))).toBe('main/node_modules');
    const path = 'main/node_modules/.bin/node';
    expect(await tool('write_file', { path, content: '' })).toContain('is protected');
    unlinkSync(inWorkspace('node_modules'));
    symlinkSync(outside, inWorkspace('node_modules'));
    expect(await python("os.remove('node_modules'); os.makedirs('node_modules/.bin')")).toContain('"exit_code":0');
    expect(isThere('node_modules/.bin')).toBe(true);
    expect(await python(`os.rename('node_modules', 'old'); ${make('node_modules/.bin/node')}`)).toContain(BACK);
    expect(isThere('node_modules/.bin/node')).toBe(false);
  });

  it('goes by no setting of a `.npmrc` by which a command has npm start something', async () => {
    put('b/.npmrc', 'engine-strict=true\nregistry=https://own.example/\n');
    put('c/.npmrc', 'script-shell=own\n');
    const evil = 'fund=false\\nnode-options=--require ./x.js\\n';
    const said = await python(['a', 'b', 'c'].map((folder) => make(`${folder}/.npmrc`, evil)).join('; '));
    expect(said).toContain(
      'what `a/.npmrc` has npm start, what `b/.npmrc` has npm start, what `c/.npmrc` has npm start ',
    );
    const texts = ['a', 'b', 'c'].map((folder) => readFileSync(inWorkspace(`${folder}/.npmrc`), 'utf8'));
    expect(texts).toEqual([
      'fund=false\n',
      'engine-strict=true\nregistry=https://own.example/\n',
      'script-shell=own\n',
    ]);
  });

  it('is no matter of settings that start nothing: an agent may check out or write them', async () => {
    put('b/.npmrc', 'script-shell=own\n');
    const harmless = '; ours\\nlegacy-peer-deps = true\\n';
    expect(await python(make('a/.npmrc', harmless))).toContain('"exit_code":0');
    expect(await python("open('b/.npmrc', 'a').write('fund=false\\\\n')".replaceAll('\\\\', '\\'))).toContain(
      '"exit_code":0',
    );
    expect(readFileSync(inWorkspace('b/.npmrc'), 'utf8')).toBe('script-shell=own\nfund=false\n');
  });

  it('is not said by a link for a manifest, which leads to what is written later', async () => {
    expect(await python("os.mkdir('a'); os.symlink('pkg.json', 'a/package.json')")).toContain(BACK);
    expect(isThere('a/package.json')).toBe(false);
  });

  it('is not said where the link of a person leads', async () => {
    for (const folder of ['a', 'b']) {
      put(`${folder}/pkg.json`, '{"name":"x"}');
      symlinkSync('pkg.json', inWorkspace(folder, 'package.json'));
    }
    expect(await tool('write_file', { path: 'a/pkg.json', content: NAMES })).toContain('is protected');
    expect(await python(make('a/pkg.json', NAMES))).toContain(BACK);
    expect(readFileSync(inWorkspace('a/pkg.json'), 'utf8')).toBe('{\n  "bin": {}\n}\n');
    const relink = "os.remove('b/package.json'); os.symlink('../c/pkg.json', 'b/package.json')";
    const other = `${make('c/pkg.json', NAMES)}; ${relink}`;
    expect(await python(other)).toContain(BACK);
    expect(['a', 'b'].map((folder) => readlinkSync(inWorkspace(folder, 'package.json')))).toEqual([
      'pkg.json',
      'pkg.json',
    ]);
  });

  it('is none in a deep folder to which a link leads from a near one', async () => {
    const deep = 'a/b/c/d/e';
    const made = `${make(`${deep}/package.json`, NAMES)}; ${make(`${deep}/node_modules/.bin/node`)}`;
    const script = `${made}; os.symlink('${deep}', 'sub')`;
    expect(await python(script)).toContain(BACK);
    expect(readFileSync(inWorkspace(deep, 'package.json'), 'utf8')).not.toContain('perdure');
    expect(isThere(`${deep}/node_modules/.bin/node`)).toBe(false);
    expect(readlinkSync(inWorkspace('sub'))).toBe(deep);
  });
});

it('a link of the workspace is not followed out of it, into state, or round and round', async () => {
  put('../outside/package.json', NAMES);
  put('a/b/c/d/e/package.json', NAMES);
  await openStore(inWorkspace('.perdure'));
  put('.perdure/worktrees/package.json', NAMES);
  for (const [to, name] of [
    ['../outside', 'out'],
    ['..', 'a/up'],
    ['.perdure/worktrees', 'state'],
    ['a/b/c/d/e', 'near'],
    ['nowhere', 'none'],
  ] as const)
    symlinkSync(to, inWorkspace(name));
  expect((await lookNear(context.workspace)).manifests).toEqual([inWorkspace('a/b/c/d/e')]);
});

describe('packages that an agent installs in a folder below', () => {
  const install = (name: string): Promise<string> => {
    put(`${name}/package.json`, JSON.stringify({ name, version: '1.0.0', bin: { [name]: 'run.js' } }));
    put(`${name}/run.js`, '');
    put('sub/package.json', '{"name":"sub","version":"1.0.0"}');
    const words = ['npm', 'install', '--offline', '--no-audit', '--no-fund', `../${name}`];
    return python(`import subprocess; print(subprocess.run(${JSON.stringify(words)}, cwd='sub').returncode)`);
  };

  it('stay, with their programs', async () => {
    expect(await install('tool')).toContain('"exit_code":0,"stdout":"');
    expect(existsSync(inWorkspace('sub/node_modules/.bin/tool'))).toBe(true);
  });

  it('stay without a program that `npx perdure` would start, and the agent is told', async () => {
    expect(await install('node')).toContain(`\`sub/node_modules/.bin/node\` ${BACK}`);
    expect([isThere('sub/node_modules/.bin/node'), isThere('sub/node_modules/node')]).toEqual([false, true]);
  });
});
