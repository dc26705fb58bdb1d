// @module-tag sandbox
// @module-tag git
// @module-tag python3
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

let context: Awaited<ReturnType<typeof toolContext>>;
const git = (...args: string[]): Buffer => execFileSync('git', ['-C', context.workspace, ...args]);
const place = (path: string): string => join(context.workspace, path);
/** A command of an agent that tries to write these files. */
const write = async (...paths: string[]): Promise<string> => {
  const script =
    'import os\n' +
    `for path in ${JSON.stringify(paths)}:\n` +
    '  try:\n    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)\n    open(path, "w").write("evil")\n' +
    '  except OSError as error: print(error)';
  const call = { argv: ['python3', '-c', script] };
  return JSON.stringify(await callTool({ kind: 'builtin', name: 'shell' }, call, context));
};

describe('what the configuration of a repository names in the workspace, and git goes by', () => {
  beforeEach(async () => {
    context = await toolContext();
    git('init', '-q');
    for (const folder of ['tools/hooks', 'more']) mkdirSync(place(folder), { recursive: true });
    for (const file of ['tools/hooks/pre-commit', 'more/first', 'more/second', 'more/free'])
      writeFileSync(place(file), '');
  });

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    ['a folder of hooks', ['core.hooksPath', 'tools/hooks'], 'tools/hooks/pre-commit'],
    ['a hook that is not there yet', ['core.hooksPath', './tools/hooks/'], 'tools/hooks/post-commit'],
    ['a folder of hooks that is not there yet', ['CORE.HOOKSPATH', 'new-hooks'], 'new-hooks/pre-commit'],
    ['more configuration', ['include.path', '../more/first'], 'more/first'],
    ['more configuration that is for some folders', ['includeIf.gitdir:/**.path', '../more/first'], 'more/first'],
  ])('is written by no command and no tool: %s', async (_title, setting, file) => {
    git('config', ...setting);
    const there = existsSync(place(file)) ? '' : null;
    await write(file, 'more/free');
    const told = await callTool({ kind: 'builtin', name: 'write_file' }, { path: file, content: 'evil' }, context);
    expect(told).toMatchObject({ is_error: true, content: expect.stringContaining('git goes by it') as string });
    expect(existsSync(place(file)) ? readFileSync(place(file), 'utf8') : null).toBe(there);
    expect(readFileSync(place('more/free'), 'utf8')).toBe('evil');
  });

  it('is known by its real path, by what is included, and as git reads it', async () => {
    const second = join(context.workspace, 'more', 'second');
    writeFileSync(place('more/first'), `[include] path = "${second}" # once more\n[user]\n\tname = a\n`);
    writeFileSync(place('more/second'), '[CORE]\n\thookspath = "tools/\\\nhooks" ; here\n');
    git('config', 'include.path', '../more/first');
    expect(git('config', '--includes', 'core.hooksPath').toString()).toBe('tools/hooks\n');
    await write('more/first', 'more/second', 'tools/hooks/pre-commit');
    expect(readFileSync(place('tools/hooks/pre-commit'), 'utf8')).toBe('');
    expect(readFileSync(place('more/second'), 'utf8')).toContain('hookspath');
  });

  it.each(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'])('is known from the file that %s names', async (name) => {
    const file = join(context.workspace, '..', `${name}.txt`);
    writeFileSync(file, '[core]\n\thooksPath = tools/hooks\n');
    vi.stubEnv(name, file);
    expect(git('config', 'core.hooksPath').toString()).toBe('tools/hooks\n');
    await write('tools/hooks/pre-commit', 'more/free');
    expect(readFileSync(place('tools/hooks/pre-commit'), 'utf8')).toBe('');
    expect(readFileSync(place('more/free'), 'utf8')).toBe('evil');
  });

  it('leaves the workspace open where it names all of it, or what is outside', async () => {
    git('config', 'core.hooksPath', '.');
    git('config', '--add', 'include.path', '/etc/gitconfig');
    git('config', '--add', 'include.path', '../more/first');
    writeFileSync(place('more/first'), `[include]\n\tpath = first\n`);
    await write('more/free');
    expect(readFileSync(place('more/free'), 'utf8')).toBe('evil');
  });
});
