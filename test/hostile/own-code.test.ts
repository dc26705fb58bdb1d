// @module-tag sandbox
// @module-tag python3
import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ownCode } from '../../src/activities/workspace/own-code.js';
import type { JsonObject } from '../../src/plan/values/json.js';
import { packageRoot } from '../../src/store/folders/package-root.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

const MAIN = 'node_modules/perdure/dist/cli/main.js';
const CANARY = 'ours';
let context: Awaited<ReturnType<typeof toolContext>>;

const inWorkspace = (...path: string[]): string => join(context.workspace, ...path);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(inWorkspace(path)), { recursive: true });
  writeFileSync(inWorkspace(path), text);
};
const packageAt = (folder: string, manifest: object): void =>
  put(`${folder}/package.json`, JSON.stringify({ version: '1.0.0', ...manifest }));
const tool = async (name: 'shell' | 'write_file' | 'edit_file', args: JsonObject): Promise<string> =>
  JSON.stringify(await callTool({ kind: 'builtin', name }, args, context));
/** A program in the sandbox, as an agent has it. */
const python = (script: string): Promise<string> => tool('shell', { argv: ['python3', '-c', `import os\n${script}`] });

beforeEach(async () => {
  context = await toolContext();
});

/** As npm installs it: what it loads stands beside it. */
function installed(): void {
  packageAt('node_modules/perdure', { name: 'perdure', dependencies: { execa: '1', '@temporalio/worker': '1' } });
  packageAt('node_modules/execa', { exports: './index.js', dependencies: { 'cross-spawn': '1' } });
  packageAt('node_modules/cross-spawn', {});
  packageAt('node_modules/@temporalio/worker', { peerDependencies: { native: '1' } });
  packageAt('node_modules/other', {});
  for (const file of [MAIN, 'node_modules/execa/index.js', 'node_modules/other/index.js', 'src/a.js'])
    put(file, CANARY);
  mkdirSync(inWorkspace('node_modules/.bin'));
  symlinkSync('../perdure/dist/cli/main.js', inWorkspace('node_modules/.bin/perdure'));
}

describe('an agent in a project that has Perdure as a package', () => {
  beforeEach(installed);

  it.each([MAIN, 'node_modules/execa/index.js', 'node_modules/native/index.js', 'node_modules/cross-spawn.js'])(
    'does not write %s by its tools for files',
    async (path) => {
      const said = await tool('write_file', { path, content: 'evil' });
      expect(said).toContain(`\`${path}\` is protected: Perdure itself runs it.`);
    },
  );

  it('does not edit what the next `perdure` runs', async () => {
    const said = await tool('edit_file', { path: MAIN, old_text: CANARY, new_text: 'evil' });
    expect(said).toContain('is protected: Perdure itself runs it.');
    expect(readFileSync(inWorkspace(MAIN), 'utf8')).toBe(CANARY);
  });

  it.each([
    ['a file of ours', `open('${MAIN}', 'a').write('evil')`],
    ['a file of a package that we load', "open('node_modules/execa/index.js', 'a').write('evil')"],
    ['the package, by another one in its place', "os.rename('node_modules/perdure', 'node_modules/old')"],
    ['a package that we load, by none', "os.rename('node_modules/execa', 'node_modules/old')"],
    ['all packages', "os.rename('node_modules', 'old')"],
    ['a file by a second name of it', `os.link('${MAIN}', 'main.js'); open('main.js', 'a').write('evil')`],
  ])('does not change %s by a command', async (_what, script) => {
    expect(await python(script)).toMatch(/Read-only|Device or resource busy|cross-device/);
    for (const path of [MAIN, 'node_modules/execa/index.js'])
      expect(readFileSync(inWorkspace(path), 'utf8')).toBe(CANARY);
  });

  it.each(['node_modules/native/index.js', 'node_modules/cross-spawn.js', 'node_modules/native.node'])(
    'makes no %s, which would be loaded',
    async (path) => {
      const said = await python(`os.makedirs(os.path.dirname('${path}'), exist_ok=True); open('${path}', 'w')`);
      expect(said).toContain('which is protected; it was put back');
      expect(() => readFileSync(inWorkspace(path))).toThrow('ENOENT');
    },
  );

  it('does not have `npx perdure` start something else', async () => {
    const said = await python("os.remove('node_modules/.bin/perdure'); open('node_modules/.bin/perdure', 'w')");
    expect(said).toContain('`node_modules/.bin/perdure` was made or changed, which is protected');
    expect(readlinkSync(inWorkspace('node_modules/.bin/perdure'))).toBe('../perdure/dist/cli/main.js');
  });

  it.each([
    ['its own command', '{"bin":{"perdure":"./a.js"}}'],
    ['a script', '{"scripts":{"perdure":"node a.js"}}'],
  ])('does not have its manifest name %s `perdure`, which `npx` starts before the package', async (_what, manifest) => {
    put('package.json', '{"version":"1.0.0"}');
    for (const path of ['package.json', 'packages/a/package.json']) {
      const said = await tool('write_file', { path, content: manifest });
      expect(said).toContain(`\`${path}\` would say what \`npx perdure\` starts, which is protected`);
    }
    const edited = await tool('edit_file', {
      path: 'package.json',
      old_text: '{',
      new_text: `${manifest.slice(0, -1)},`,
    });
    expect(edited).toContain('which is protected');
    const wide = JSON.stringify({ version: '1.0.1', ...(JSON.parse(manifest) as object) });
    const write = (path: string): string => `open('${path}', 'w').write('${wide}')`;
    const make = "os.makedirs('packages/a', exist_ok=True)";
    const script = [make, write('package.json'), write('packages/a/package.json')].join('\n');
    expect(await python(script)).toContain(
      'what `package.json` says is `perdure`, what `packages/a/package.json` says is `perdure` was made or changed, ' +
        'which is protected',
    );
    for (const path of ['package.json', 'packages/a/package.json']) {
      const left = readFileSync(inWorkspace(path), 'utf8');
      expect(left).toContain('1.0.1');
      expect(left).not.toContain('perdure');
    }
  });

  it('has what a person named `perdure` put back, and may change the rest of the manifest', async () => {
    const own = '{"bin":{"perdure":"./a.js"}}';
    put('package.json', own);
    expect(await python('open(\'package.json\', \'w\').write(\'{"bin":{"perdure":"./b.js"}}\')')).toContain(
      'protected',
    );
    expect(readFileSync(inWorkspace('package.json'), 'utf8')).toBe(own);
    const args = { path: 'package.json', old_text: '{"bin"', new_text: '{"name":"x","bin"' };
    expect(await tool('edit_file', args)).toContain('"is_error":false');
  });

  it.each(['node_modules/.bin/perdure', 'node_modules/perdure'])(
    'makes no `packages/a/%s`, nor leads there by a link',
    async (name) => {
      const path = `packages/a/${name}`;
      expect(await tool('write_file', { path: `${path}/x`, content: '' })).toContain('Perdure itself runs it');
      const make = (file: string): string => `os.makedirs(os.path.dirname('${file}')); open('${file}', 'w')`;
      expect(await python(make(path))).toContain(
        `\`${path}\` was made or changed, which is protected; it was put back`,
      );
      expect(existsSync(inWorkspace(path))).toBe(false);
      const link = "os.makedirs('d'); os.symlink('../b/c', 'd/node_modules')";
      const linked = `${make(name.replace('node_modules', 'b/c'))}; ${link}`;
      expect(await python(linked)).toContain(`\`d/${name}\` was made or changed, which is protected; it was put back`);
      expect(existsSync(inWorkspace('d', name))).toBe(false);
    },
  );

  it('leaves nothing that another command has made meanwhile', async () => {
    const path = 'packages/a/node_modules/.bin/perdure';
    const make = `os.makedirs(os.path.dirname('${path}'), exist_ok=True); open('${path}', 'w')`;
    const wait = (file: string): string => `\nimport time\nwhile not os.path.exists('${file}'): time.sleep(0.01)\n`;
    const first = python(`${make}; open('one', 'w')${wait('two')}`);
    const second = python(`${wait('one')}open('two', 'w')${wait('three')}${make}`);
    expect(await first).toContain('it was put back');
    put('three', '');
    expect(await second).toContain('it was put back');
    expect(existsSync(inWorkspace(path))).toBe(false);
  });

  it('still writes sources, packages of the project, and new ones', async () => {
    const paths = ['src/a.js', 'node_modules/other/index.js', 'node_modules/new/index.js'];
    for (const path of paths) expect(await tool('write_file', { path, content: 'x' })).toContain('"is_error":false');
    const script = "open('node_modules/other/b', 'w'); os.mkdir('node_modules/newer'); open('src/b', 'w')";
    expect(await python(script)).toContain('"exit_code":0');
  });
});

it('goes by where the links of other package managers lead', async () => {
  const inStore = (name: string): string => `node_modules/.pnpm/${name}@1/node_modules/${name}`;
  packageAt(inStore('perdure'), { name: 'perdure', dependencies: { zod: '4' } });
  packageAt(inStore('zod'), {});
  symlinkSync('../../zod@1/node_modules/zod', inWorkspace('node_modules/.pnpm/perdure@1/node_modules/zod'));
  symlinkSync('.pnpm/perdure@1/node_modules/perdure', inWorkspace('node_modules/perdure'));
  const written = await tool('write_file', { path: `${inStore('zod')}/index.js`, content: 'evil' });
  expect(written).toContain('is protected: Perdure itself runs it.');
  expect(await python("os.remove('node_modules/perdure'); os.mkdir('node_modules/perdure')")).toContain(
    '`node_modules/perdure` was made or changed, which is protected',
  );
  expect(readlinkSync(inWorkspace('node_modules/perdure'))).toBe('.pnpm/perdure@1/node_modules/perdure');
});

it('takes nothing from an agent by a manifest that only looks like ours', async () => {
  const dependencies = { '../../src': '1', '.': '1', '/src': '1' };
  packageAt('node_modules/perdure', { name: 'perdure', dependencies });
  expect(await tool('write_file', { path: 'src/a.js', content: 'x' })).toContain('"is_error":false');
  put('node_modules/perdure/package.json', '{');
  expect(await tool('write_file', { path: 'src/b.js', content: 'x' })).toContain('"is_error":false');
});

describe('in a checkout of Perdure', () => {
  it('what runs is not written, and sources are', () => {
    const own = ownCode(packageRoot(), [], null);
    expect(own).toEqual(
      expect.arrayContaining(['dist', 'definitions', 'package.json', 'node_modules/execa', 'node_modules/webpack']),
    );
    expect(
      own.filter((path) => /^(?:src|test|docs|node_modules\/(?:vitest|prettier)|node_modules$)/.test(path)),
    ).toEqual([]);
  });

  it('is known from the folder that holds it, too', () => {
    const [parent, name] = [dirname(packageRoot()), packageRoot().slice(dirname(packageRoot()).length + 1)];
    expect(ownCode(parent, [], null)).toEqual(expect.arrayContaining([`${name}/dist`, `${name}/node_modules/execa`]));
  });
});

it('leaves a work tree alone, in which nobody starts Perdure', () => {
  packageAt('node_modules/perdure', { name: 'perdure' });
  expect(ownCode(context.workspace, [], context.store.folder)).toContain('node_modules/perdure');
  expect(ownCode(context.workspace, [], dirname(context.workspace))).toEqual([]);
});
