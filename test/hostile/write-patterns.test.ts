// @module-tag sandbox
// @module-tag python3
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { permissionsFrom } from '../../src/compiler/agents/permissions.js';
import type { Permissions } from '../../src/plan/tools/permission.js';
import type { ToolContext } from '../../src/activities/tools/handler/handler.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

const FILES = ['package.json', 'src/a.ts', 'src/a.gen.ts', 'docs/deep/b.md', 'packages/x/package.json'];

/** What a command says that writes each of these files, one after the other, and what is left of them then. */
async function written(
  permissions: Partial<Permissions>,
  paths: string[],
  { files = FILES, allowed }: { files?: string[]; allowed?: true } = {},
): Promise<{ said: string; left: (string | null)[] }> {
  const context = { ...(await toolContext(permissions)), ...(allowed === undefined ? {} : { allowed }) };
  const at = (path: string): string => join(context.workspace, path);
  for (const path of files) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), 'own');
  }
  const script = `import os
for path in ${JSON.stringify(paths)}:
    try:
        os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
        open(path, 'w').write('new')
    except OSError as error: print(path, error.strerror)`;
  const run = await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', script] }, context);
  return {
    said: JSON.stringify(run),
    left: paths.map((path) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null)),
  };
}

describe.each(['ask', 'deny'] as const)('what `write:` patterns name under `%s` no command writes:', (key) => {
  const kept = (pattern: string, paths: string[], files?: string[]): ReturnType<typeof written> =>
    written({ [key]: [pattern] }, paths, files === undefined ? {} : { files });

  it('a file', async () => {
    const { said, left } = await kept('write:package.json', ['package.json', 'src/a.ts']);
    expect(said).toContain('package.json Read-only');
    expect(left).toEqual(['own', 'new']);
  });

  it('a file that is missing', async () => {
    const { said, left } = await kept('write:package.json', ['package.json', 'a.ts'], []);
    expect(said).toContain('`package.json` was made or changed, which is protected');
    expect(left).toEqual([null, 'new']);
  });

  it('what lies below a name that is a file now', async () => {
    const { said, left } = await kept('write:infra/prod/*', ['a.ts'], ['infra']);
    expect(said).toContain('"is_error":false');
    expect(left).toEqual(['new']);
    const context = await toolContext({ [key]: ['write:infra/prod/*'] });
    writeFileSync(join(context.workspace, 'infra'), 'own');
    const script = "import os\nos.remove('infra'); os.makedirs('infra/prod'); open('infra/prod/x', 'w')";
    const run = await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', script] }, context);
    expect(JSON.stringify(run)).toContain('`infra/prod` was made or changed, which is protected');
    expect(existsSync(join(context.workspace, 'infra/prod/x'))).toBe(false);
  });

  it('all that is in a folder', async () => {
    const { left } = await kept('write:docs/*', ['docs/deep/b.md', 'docs/new', 'src/b.ts']);
    expect(left).toEqual(['own', null, 'new']);
  });

  it('files by their names, also new ones', async () => {
    const names = ['src/a.gen.ts', 'new/b.gen.ts', 'src/a.ts', 'package.json', 'packages/x/package.json'];
    const { said, left } = await kept('write:*.gen.ts', names);
    expect(said).toContain('`new/b.gen.ts` was made or changed, which is protected');
    expect(left).toEqual(['own', null, 'new', 'new', 'new']);
    const other = await kept('write:*/package.json', names.slice(3));
    expect(other.left).toEqual(['new', 'own']);
  });

  it.each(['write', 'write:*', 'w*'])('all of the workspace, by `%s`, where that is denied', async (pattern) => {
    const { said, left } = await kept(pattern, ['package.json', 'src/a.ts', 'new']);
    // Who is asked about every write is asked about those of tools: else no command could build or test anything.
    if (key === 'deny') expect(said).toContain('src/a.ts Read-only');
    expect(left).toEqual(key === 'deny' ? ['own', 'own', null] : ['new', 'new', 'new']);
  });

  it('more files than can be kept, so that no command is run at all', async () => {
    const many = Array.from({ length: 201 }, (_, index) => `many/${index}.md`);
    const { said, left } = await kept('write:*.md', ['a.txt'], many);
    expect(said).toContain('More than 200 files and folders fit `write:*.md`');
    expect(left).toEqual([null]);
  });
});

describe('a command that a person has allowed', () => {
  it('writes what is asked about, and not what is denied', async () => {
    const permissions = { ask: ['write:package.json'], deny: ['write:src/*'] };
    const { left } = await written(permissions, ['package.json', 'src/a.ts'], { allowed: true });
    expect(left).toEqual(['new', 'own']);
  });
});

it('the limits of makers hold for commands of what they made', async () => {
  const within = [{ ...permissionsFrom([], true), deny: ['write:src/*'] }];
  const { left } = await written({ within }, ['package.json', 'src/a.ts']);
  expect(left).toEqual(['new', 'own']);
});

it('patterns of other actions keep no file', async () => {
  const { left } = await written({ deny: ['read:src/*', 'request', 'command:rm *'] }, ['src/a.ts']);
  expect(left).toEqual(['new']);
});

describe('two commands of one workspace, of which one may write what the other may not,', () => {
  const DENIED = ['write:*.gen.ts', 'write:package.json'];

  it('run one after the other, and each is told of what it did itself', async () => {
    const free = await toolContext();
    const at = (path: string): string => join(free.workspace, path);
    const python = (context: ToolContext, script: string): ReturnType<typeof callTool> =>
      callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', `import os\n${script}`] }, context);
    const writes = `
open('started', 'w')
while not os.path.exists('go'): pass
for path in ('a.gen.ts', 'package.json'): open(path, 'w').write('own')`;
    const first = python(free, writes);
    await expect.poll(() => existsSync(at('started')), { timeout: 60_000 }).toBe(true);
    // What the patterns fit has been looked for when this is asked.
    const readSubmitted: ToolContext['store']['readSubmitted'] = (runs) => {
      writeFileSync(at('go'), '');
      return free.store.readSubmitted(runs);
    };
    const held = {
      ...free,
      store: { ...free.store, readSubmitted },
      permissions: { ...free.permissions, deny: DENIED },
    };
    const spoils = `
while not os.path.exists('package.json'): pass
for path in ('a.gen.ts', 'package.json'):
    try: open(path, 'w').write('new')
    except OSError as error: print(path, error.strerror)`;
    const second = JSON.stringify(await python(held, spoils));
    expect(JSON.stringify(await first)).toContain('"is_error":false');
    expect(second).toContain('a.gen.ts Read-only file system\\npackage.json Read-only file system');
    expect(['a.gen.ts', 'package.json'].map((path) => readFileSync(at(path), 'utf8'))).toEqual(['own', 'own']);
  });
});
