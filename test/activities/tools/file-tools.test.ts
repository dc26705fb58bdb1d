import { chmod, link, lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/plan/values/json.js';
import type { BuiltinTool } from '../../../src/plan/tools/tool.js';
import { callTool, toolContext } from '../helpers/tool-context.js';

let context: Awaited<ReturnType<typeof toolContext>>;
beforeEach(async () => {
  context = await toolContext();
});

const call = (name: BuiltinTool, args: JsonObject): ReturnType<typeof callTool> =>
  callTool({ kind: 'builtin', name }, args, context);
const inWorkspace = (...parts: string[]): string => join(context.workspace, ...parts);

describe('file tools', () => {
  it('write a file with the folders above it, and read it with line numbers', async () => {
    expect(await call('write_file', { path: 'src/a.txt', content: 'one\ntwo\n' })).toEqual({
      content: 'Wrote src/a.txt (8 bytes).',
      is_error: false,
    });
    expect(await readFile(inWorkspace('src', 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(await call('read_file', { path: 'src/a.txt' })).toEqual({ content: '1\tone\n2\ttwo', is_error: false });
  });

  it('take an absolute path of the workspace for what it is', async () => {
    await writeFile(inWorkspace('a.txt'), 'x');
    expect(await call('read_file', { path: inWorkspace('a.txt') })).toMatchObject({ content: '1\tx' });
  });

  it('read a part of a long file, and say where to go on', async () => {
    await writeFile(inWorkspace('long.txt'), Array.from({ length: 5 }, (_, index) => `line ${index + 1}`).join('\n'));
    expect(await call('read_file', { path: 'long.txt', offset: 2, limit: 2 })).toMatchObject({
      content: '2\tline 2\n3\tline 3\n[5 lines in all; read on with offset 4]',
    });
    expect(await call('read_file', { path: 'long.txt', offset: 9 })).toMatchObject({
      content: '[the file has 5 lines]',
    });
  });

  it('keep the mode of a file that is replaced or edited', async () => {
    await writeFile(inWorkspace('run.sh'), 'echo a');
    await chmod(inWorkspace('run.sh'), 0o755);
    await call('write_file', { path: 'run.sh', content: 'echo b' });
    await call('edit_file', { path: 'run.sh', old_text: 'b', new_text: 'c$&' });
    expect(await readFile(inWorkspace('run.sh'), 'utf8')).toBe('echo c$&');
    expect((await stat(inWorkspace('run.sh'))).mode & 0o777).toBe(0o755);
  });

  it.each([
    ['a text that is not there', { old_text: 'z', new_text: 'y' }, 'does not hold that text'],
    ['a text that is there twice', { old_text: 'a', new_text: 'y' }, 'holds that text 2 times'],
  ])('refuse to edit %s, and change nothing', async (_title, edit, message) => {
    await writeFile(inWorkspace('a.txt'), 'a b a');
    expect(await call('edit_file', { path: 'a.txt', ...edit })).toEqual({
      content: expect.stringContaining(message),
      is_error: true,
    });
    expect(await readFile(inWorkspace('a.txt'), 'utf8')).toBe('a b a');
  });

  it('edit every place when that is asked', async () => {
    await writeFile(inWorkspace('a.txt'), 'a b a');
    expect(await call('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'c', all: true })).toMatchObject({
      content: 'Replaced 2 places in a.txt.',
    });
    expect(await readFile(inWorkspace('a.txt'), 'utf8')).toBe('c b c');
  });

  it('edit a file that is no UTF-8 where they are told to, and nowhere else', async () => {
    await writeFile(inWorkspace('a.txt'), Buffer.from('caf\xe9 one\n', 'latin1'));
    expect(await call('read_file', { path: 'a.txt' })).toMatchObject({ content: expect.stringContaining('no UTF-8') });
    expect(await call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' })).toMatchObject({
      content: 'Replaced one place in a.txt.',
    });
    for (const edit of [
      { old_text: 'caf\ufffd', new_text: 'tea' },
      { old_text: 'two', new_text: 'tw\xf3' },
    ])
      expect(await call('edit_file', { path: 'a.txt', ...edit })).toEqual({
        content: expect.stringContaining('no UTF-8'),
        is_error: true,
      });
    expect(await readFile(inWorkspace('a.txt'), 'latin1')).toBe('caf\xe9 two\n');
  });

  it('edit texts of any script, with a byte order mark before them', async () => {
    await writeFile(inWorkspace('a.txt'), '\ufeffcafé 日本 😀\n');
    await call('edit_file', { path: 'a.txt', old_text: '日本 😀', new_text: 'ü' });
    expect(await readFile(inWorkspace('a.txt'), 'utf8')).toBe('\ufeffcafé ü\n');
  });

  it('list a folder, and what matches a pattern below it', async () => {
    for (const path of ['src/deep/a.ts', 'src/b.ts', 'c.md', 'node_modules/x/y.ts'])
      await call('write_file', { path, content: '' });
    await symlink('c.md', inWorkspace('link'));
    expect(await call('list_files', {})).toMatchObject({ content: 'c.md\nlink@\nnode_modules/\nsrc/' });
    expect(await call('list_files', { pattern: '*.{ts,tsx}' })).toMatchObject({ content: 'src/b.ts\nsrc/deep/a.ts' });
    expect(await call('list_files', { path: 'src', pattern: './*.ts' })).toMatchObject({
      content: 'src/b.ts\nsrc/deep/a.ts',
    });
    expect(await call('list_files', { path: 'src', pattern: 'deep/**' })).toMatchObject({ content: 'src/deep/a.ts' });
  });

  it('search texts line by line, and pass over what is no text', async () => {
    await call('write_file', { path: 'src/a.ts', content: 'const one = 1;\nconst two = 2;\n' });
    await writeFile(inWorkspace('image'), Buffer.from([0, 1, 2]));
    expect(await call('search_files', { pattern: 'TWO = \\d', ignore_case: true })).toEqual({
      content: 'src/a.ts:2: const two = 2;',
      is_error: false,
    });
    expect(await call('search_files', { pattern: 'two', files: '*.md' })).toMatchObject({
      content: '[no line matches]',
    });
    expect(await call('search_files', { pattern: '(' })).toMatchObject({ is_error: true });
  });

  it('look past folders in folders without end, and say that they did not look into those', async () => {
    await mkdir(inWorkspace('a', ...Array.from({ length: 70 }, () => 'a')), { recursive: true });
    await writeFile(inWorkspace('z.txt'), 'here');
    const note = expect.stringMatching(/^z\.txt.*\n\[not all was looked at/) as string;
    expect(await call('search_files', { pattern: 'here' })).toMatchObject({ content: note });
    expect(await call('list_files', { pattern: '*.txt' })).toMatchObject({ content: note });
    expect(await call('search_files', { pattern: 'there' })).toMatchObject({
      content: expect.stringContaining('[no line matches]\n[not all') as string,
    });
  });

  it('read no more than they say of files that are no texts', async () => {
    const bytes = Buffer.alloc(10 * 1024 * 1024, 'x');
    bytes[bytes.length - 1] = 0;
    for (let file = 10; file < 37; file += 1) await writeFile(inWorkspace(`${file}.bin`), bytes);
    await writeFile(inWorkspace('z.txt'), 'here');
    expect(await call('search_files', { pattern: 'here' })).toMatchObject({
      content: '[no line matches]\n[256 MiB were read, and not all of the files; narrow the search]',
    });
    bytes[0] = 0;
    for (let file = 10; file < 37; file += 1) await writeFile(inWorkspace(`${file}.bin`), bytes);
    expect(await call('search_files', { pattern: 'here' })).toMatchObject({ content: 'z.txt:1: here' });
  });

  it('end an expression that backtracks without end', async () => {
    await writeFile(inWorkspace('a.txt'), `${'a'.repeat(60)}!`);
    expect(await call('search_files', { pattern: '(a+)+$' })).toEqual({
      content: expect.stringContaining('takes too long'),
      is_error: true,
    });
  });

  it('follow a link for reading when it stays in the workspace, and never write through one', async () => {
    await mkdir(inWorkspace('real'));
    await writeFile(inWorkspace('real', 'a.txt'), 'here');
    await symlink('real', inWorkspace('alias'));
    expect(await call('read_file', { path: 'alias/a.txt' })).toMatchObject({ content: '1\there' });
    expect(await call('write_file', { path: 'alias/b.txt', content: 'x' })).toMatchObject({ is_error: true });
    await expect(lstat(inWorkspace('real', 'b.txt'))).rejects.toThrow('ENOENT');
  });

  it('replace a name that has another elsewhere, and leave that as it is', async () => {
    const outside = join(context.workspace, '..', 'outside.txt');
    await writeFile(outside, 'mine');
    await link(outside, inWorkspace('inside.txt'));
    expect(await call('read_file', { path: 'inside.txt' })).toMatchObject({ is_error: true });
    expect(await call('write_file', { path: 'inside.txt', content: 'changed' })).toMatchObject({ is_error: false });
    expect(await readFile(outside, 'utf8')).toBe('mine');
  });

  it('say what is wrong with arguments, for the model', async () => {
    expect(await call('read_file', { path: 3, deep: true })).toEqual({
      content: expect.stringContaining('`path`'),
      is_error: true,
    });
  });
});
