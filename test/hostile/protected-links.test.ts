// @module-tag sandbox
// @module-tag git
// @module-tag python3
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

let context: Awaited<ReturnType<typeof toolContext>>;
const at = (path: string): string => join(context.workspace, path);
const link = (path: string, to: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  symlinkSync(to, at(path));
};
const put = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const textAt = (path: string): string | null => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null);
const python = async (script: string): Promise<string> =>
  JSON.stringify(
    await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', `import os\n${script}`] }, context),
  );
const writeFile = (path: string): ReturnType<typeof callTool> =>
  callTool({ kind: 'builtin', name: 'write_file' }, { path, content: 'evil' }, context);

beforeEach(async () => {
  context = await toolContext();
});

describe('what a person keeps elsewhere in the workspace, by links, is protected there', () => {
  it.each<[what: string, make: () => void, place: string, read: string]>([
    [
      'a folder',
      () => (put('shared/a.yml', 'own'), link('definitions', 'shared')),
      'shared/a.yml',
      'definitions/a.yml',
    ],
    ['a file', () => (put('conf/own.yml', 'own'), link('perdure.yml', 'conf/own.yml')), 'conf/own.yml', 'perdure.yml'],
    [
      'a folder that a protected one holds a link to',
      () => (put('prompts/a.yml', 'own'), link('definitions/agents', '../prompts')),
      'prompts/a.yml',
      'definitions/agents/a.yml',
    ],
    [
      'a file that such a folder holds a link to',
      () => (put('texts/b.yml', 'own'), link('prompts/a.yml', '../texts/b.yml'), link('definitions', 'prompts')),
      'texts/b.yml',
      'definitions/a.yml',
    ],
  ])('from commands and from tools for files: %s', async (_what, make, place, read) => {
    make();
    expect(await python(`open('${place}', 'w').write('evil')`)).toContain('Read-only');
    expect(await writeFile(place)).toMatchObject({
      is_error: true,
      content: `\`${place}\` is protected: something that is protected leads there.`,
    });
    expect(textAt(read)).toBe('own');
    expect(await writeFile('other/a.yml')).toMatchObject({ is_error: false });
  });

  it('but AGENTS.md is written, to which a link in the folder of another tool leads, and the link is not', async () => {
    put('AGENTS.md', 'own');
    link('.github/copilot-instructions.md', '../AGENTS.md');
    expect(await python("open('AGENTS.md', 'w').write('by a command')")).toContain('"exit_code":0');
    expect(await writeFile('AGENTS.md')).toMatchObject({ is_error: false });
    expect(await python("os.remove('.github/copilot-instructions.md')")).toContain('Read-only');
    expect(await writeFile('.github/copilot-instructions.md')).toHaveProperty('denied');
  });

  it.each<[what: string, make: () => void, place: string]>([
    ['a file below a link', () => (put('tools/cargo/x', ''), link('.cargo', 'tools/cargo')), 'tools/cargo/config.toml'],
    ['what a link leads to', () => link('.envrc', 'env/real'), 'env/real'],
    ['what a link in a protected folder leads to', () => link('definitions/agents', '../prompts'), 'prompts'],
  ])('from being made, where it is not there: %s', async (_what, make, place) => {
    make();
    const made = `os.makedirs(os.path.dirname('${place}') or '.', exist_ok=True); open('${place}', 'w').write('evil')`;
    expect(await python(made)).toContain(`\`${place}\` was made or changed, which is protected; it was put back`);
    expect(textAt(place)).toBeNull();
    expect(await writeFile(place)).toMatchObject({ is_error: true });
  });

  it.each<[what: string, make: () => void, middle: string, read: string]>([
    [
      'to a folder',
      () => (put('conf/vscode/tasks.json', 'own'), link('cfg', 'conf'), link('.vscode', 'cfg/vscode')),
      'cfg',
      '.vscode/tasks.json',
    ],
    [
      'to a file',
      () => (put('env/real', 'own'), link('env/link', 'real'), link('.envrc', 'env/link')),
      'env/link',
      '.envrc',
    ],
  ])('and each link on the way %s is put back', async (_what, make, middle, read) => {
    make();
    const script = `
os.remove('${middle}')
for path in ('${middle}/vscode/tasks.json', '${middle}'):
    try:
        if 'env' not in path: os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
        open(path, 'w').write('evil')
    except OSError: pass`;
    expect(await python(script)).toContain(`\`${middle}\` was made or changed, which is protected`);
    expect(textAt(read)).toBe('own');
  });
});

describe('a repository that a person keeps elsewhere in the workspace', () => {
  it.each<[how: string, move: () => void]>([
    ['by a link', () => symlinkSync('repo', at('.git'))],
    ['by a file of that name', () => writeFileSync(at('.git'), 'gitdir: ./repo\n')],
  ])('has no command and no tool change what git goes by: %s', async (_how, move) => {
    execFileSync('git', ['init', '-q', context.workspace]);
    renameSync(at('.git'), at('repo'));
    move();
    const config = textAt('repo/config');
    expect(await python("open('repo/config', 'a').write('[core]\\nfsmonitor = ./evil\\n')")).toContain('Read-only');
    expect(await python("open('repo/commondir', 'w').write('../common\\n')")).toContain(
      '`repo/commondir` was made or changed, which is',
    );
    expect(await python("os.makedirs('x'); os.rename('repo', 'x/repo')")).toContain('busy');
    for (const path of ['repo/config', 'repo/hooks/pre-commit', 'repo/commondir'])
      expect(await writeFile(path)).toMatchObject({ is_error: true, content: expect.stringContaining('is protected') });
    expect([textAt('repo/config'), textAt('repo/commondir')]).toEqual([config, null]);
    put('a.txt', 'a');
    expect(await python("import subprocess; subprocess.run(['git', 'add', 'a.txt'], check=True)")).toContain(
      '"exit_code":0',
    );
  });
});
