// @module-tag sandbox
// @module-tag git
// @module-tag python3
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workspaceDigest } from '../../src/activities/workspace/workspace-digest.js';
import { temporaryFolder } from '../activities/helpers/harness.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

it.each(['--assume-unchanged', '--skip-worktree'])(
  'the state of a workspace is another when a file has changed of which the index says `%s`',
  async (flag) => {
    const folder = await temporaryFolder();
    const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: folder });
    git('init', '-q');
    await writeFile(join(folder, 'a.txt'), 'one\n');
    git('add', '.');
    git('update-index', flag, 'a.txt');
    const before = await workspaceDigest(folder);
    expect(before).not.toBeNull();
    expect(await workspaceDigest(folder)).toBe(before);
    await writeFile(join(folder, 'a.txt'), 'another\n');
    expect(await workspaceDigest(folder)).not.toBe(before);
  },
);

it('the state of a workspace is none of what stands where a link leads that a command has made', async () => {
  const { workspace, ...context } = await toolContext();
  const outside = await temporaryFolder();
  for (const folder of [workspace, outside]) execFileSync('git', ['init', '-q', folder]);
  const script =
    'import os, subprocess\n' +
    "subprocess.run(['git', 'update-index', '--add', '--cacheinfo', '160000,' + '1' * 40 + ',x'], check=True)\n" +
    `os.symlink('${outside}', 'x')`;
  const argv = ['python3', '-c', script];
  expect(await callTool({ kind: 'builtin', name: 'shell' }, { argv }, { workspace, ...context })).toMatchObject({
    content: { exit_code: 0 },
  });
  const before = await workspaceDigest(workspace);
  expect(before).not.toBeNull();
  await writeFile(join(outside, 'secret'), 'new');
  expect(await workspaceDigest(workspace)).toBe(before);
  await rm(join(workspace, 'x'));
  execFileSync('git', ['init', '-q', join(workspace, 'x')]);
  const inside = await workspaceDigest(workspace);
  await writeFile(join(workspace, 'x', 'file'), 'new');
  expect(await workspaceDigest(workspace)).not.toBe(inside);
});

it('a file that a command has made is seen, for no command has the repository ignore it', async () => {
  const context = await toolContext();
  const { store, workspace } = context;
  execFileSync('git', ['init', '-q', workspace]);
  const before = await store.snapshotNow(workspace);
  const script = "open('.git/info/exclude', 'a').write('evil.py\\n'); open('evil.py', 'w').write('evil')";
  for (const code of [script, "open('evil.py', 'w').write('evil')"])
    await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', code] }, context);
  const after = await store.snapshotNow(workspace);
  const told = await store.snapshotGit(['diff-tree', '-r', '--name-only', before?.tree ?? '', after?.tree ?? '']);
  expect(told.toString()).toBe('evil.py\n');
});

it('a repository that a command has made is named, for no snapshot has its files', async () => {
  const context = await toolContext();
  const { store, workspace } = context;
  execFileSync('git', ['init', '-q', workspace]);
  const script = "import os; os.system('git init -q lib'); open('lib/evil.py', 'w').write('evil')";
  await store.keepSnapshot('r', 'start', workspace);
  await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', script] }, context);
  await store.keepSnapshot('r', 'end', workspace);
  const [start, end] = [await store.leftOutOf('r', 'start'), await store.leftOutOf('r', 'end')];
  expect([start.inside, end.inside]).toEqual([undefined, ['lib']]);
});

it('what a command has hidden by a `.gitignore` that ignores itself is named', async () => {
  const context = await toolContext();
  const { store, workspace } = context;
  execFileSync('git', ['init', '-q', workspace]);
  await mkdir(join(workspace, 'cache'));
  await writeFile(join(workspace, 'cache', '.gitignore'), '*\n');
  await store.keepSnapshot('r', 'start', workspace);
  const script =
    "import os; os.makedirs('tests/deep'); open('tests/.gitignore', 'w').write('conftest.py\\n.gitignore\\n'); " +
    "open('tests/conftest.py', 'w').write('evil'); open('tests/deep/.gitignore', 'w').write('!x\\n'); " +
    "os.mkdir('plain'); open('plain/.gitignore', 'w').write('*.o\\n')";
  await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', script] }, context);
  const digest = await workspaceDigest(workspace);
  await store.keepSnapshot('r', 'end', workspace);
  expect(await workspaceDigest(workspace)).toBe(digest);
  expect((await store.leftOutOf('r', 'start')).hiding).toEqual(['cache/.gitignore']);
  expect((await store.leftOutOf('r', 'end')).hiding).toEqual([
    'cache/.gitignore',
    'tests/.gitignore',
    'tests/deep/.gitignore',
  ]);
  const files = await store.snapshotGit(['ls-tree', '-r', '--name-only', (await store.snapshotOf('r', 'end')) ?? '']);
  expect(files.toString()).toBe('plain/.gitignore\n');
});
