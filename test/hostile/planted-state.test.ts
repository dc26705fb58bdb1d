// @module-tag sandbox
// @module-tag python3
// @seconds 15
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../src/plan/values/json.js';
import type { BuiltinTool } from '../../src/plan/tools/tool.js';
import { openStore } from '../../src/store/local-store.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

const STATE = '{"id":"aaaaaaaa","version":1}';
let context: Awaited<ReturnType<typeof toolContext>>;
const at = (...path: string[]): string => join(context.workspace, ...path);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const call = async (name: BuiltinTool, args: JsonObject): Promise<string> =>
  JSON.stringify(await callTool({ kind: 'builtin', name }, args, context));
const python = (script: string): Promise<string> => call('shell', { argv: ['python3', '-c', `import os\n${script}`] });
const plant = (path: string): string => `open('${path}/store.json', 'w').write('${STATE}')`;

beforeEach(async () => {
  context = await toolContext();
  put('test/good.test.js', "require('node:test')('good', () => {})");
  put('test/deep/bad.test.js', "require('node:test')('bad', () => { throw new Error('evil') })");
});

describe('an agent hides no folder by having it look like one of state:', () => {
  it.each(['store.json', 'test/deep/store.json'])('it does not write %s by its tools for files', async (path) => {
    const said = 'would have its folder taken for the state of Perdure';
    expect(await call('write_file', { path, content: STATE })).toContain(said);
    expect(await call('write_file', { path, content: '{"id":"x","version":1}' })).toContain('"is_error":false');
    expect(await call('edit_file', { path, old_text: '"x"', new_text: '"aaaaaaaa"' })).toContain(said);
    expect(await call('search_files', { pattern: 'evil' })).toContain('test/deep/bad.test.js:1');
  });

  it.each(['.', 'test', 'test/deep'])('what a command made in `%s` is taken away, and tools go on', async (folder) => {
    const path = join(folder, 'store.json');
    expect(await python(plant(folder))).toContain(
      `\`${path}\` was made or changed, which is protected; it was put back`,
    );
    expect(existsSync(at(path))).toBe(false);
    expect(await call('search_files', { pattern: 'evil' })).toContain('test/deep/bad.test.js:1');
    expect(
      await call('run_tests', { argv: ['node', '--test', 'test/good.test.js', 'test/deep/bad.test.js'] }),
    ).toContain('1 of 2 tests failed.');
  });

  it('nor does it keep what is protected by that, in a folder in a folder', async () => {
    const path = 'a/b/node_modules/.bin/perdure';
    const script = `os.makedirs(os.path.dirname('${path}')); open('${path}', 'w'); ${plant('a')}; ${plant('a/b')}`;
    const said =
      '`a/store.json`, `a/b/store.json`, `a/b/node_modules/.bin/perdure` was made or changed, which is protected';
    expect(await python(script)).toContain(said);
    expect([path, 'a/store.json', 'a/b/store.json'].map((one) => existsSync(at(one)))).toEqual([false, false, false]);
  });
});

it("leaves another project's state that a person makes while a command runs", async () => {
  const waiting = python("import time\nopen('begun', 'w')\nwhile not os.path.exists('done'): time.sleep(0.01)");
  await vi.waitFor(() => expect(existsSync(at('begun'))).toBe(true), { timeout: 60_000 });
  await openStore(at('other', '.perdure'));
  put('done', '');
  expect(await waiting).toContain('"exit_code":0');
  expect(readFileSync(at('other', '.perdure', 'store.json'), 'utf8')).toContain('"id"');
});

it('tells of a state folder by another name that searches, lists and tests do not see', async () => {
  put('test/deep/store.json', STATE);
  const said = '[not looked at, as state of Perdure: `test/deep`]';
  expect(await call('search_files', { pattern: 'evil' })).toContain(said);
  expect(await call('list_files', { pattern: '**' })).toContain(said);
  expect(await call('list_files', { path: 'test' })).toContain(said);
  expect(await call('run_tests', { argv: ['node', '--test', 'test/good.test.js'] })).toContain(said);
  await openStore(at('.perdure'));
  expect(await call('list_files', {})).not.toContain('as state of Perdure');
});

it('temporary files of ours are entered by no tool for files, where TMPDIR lies in a workspace', async () => {
  put('tmp/perdure-output-x/secret', 'canary');
  vi.stubEnv('TMPDIR', at('tmp'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const refused = '`tmp` holds temporary files of Perdure: TMPDIR leads there.';
  expect(await call('read_file', { path: 'tmp/perdure-output-x/secret' })).toContain(refused);
  expect(await call('write_file', { path: 'tmp/perdure-output-x/secret', content: '' })).toContain(refused);
  expect(await call('search_files', { pattern: 'canary' })).not.toContain('secret');
  expect(await call('write_file', { path: 'tmp2/a', content: '' })).toContain('"is_error":false');
});
