// @module-tag sandbox
// @module-tag git
// @module-tag python3
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';
import { PERSON } from './person.js';

/** Each is tried by itself: what makes a person's git run `evil` in a submodule, or in a work tree elsewhere. */
const PLANT = `
import os
evil = os.getcwd() + '/evil'
with open(evil, 'w') as f: f.write('#!/bin/sh\\ntouch "$MARK"\\n')
os.chmod(evil, 0o755)
monitor = '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = ' + evil + '\\n'
os.makedirs('common')
for name in ('objects', 'refs'): os.symlink(os.getcwd() + '/.git/' + name, 'common/' + name)
for path, text in [
    ('common/config', monitor),
    ('common/HEAD', 'ref: refs/heads/none\\n'),
    ('.git/modules/lib/config', monitor),
    ('.git/modules/lib/hooks/post-checkout', '#!/bin/sh\\n' + evil + '\\n'),
    ('.git/modules/lib/commondir', os.getcwd() + '/common\\n'),
    ('.git/modules/more/config', monitor),
    ('.git/worktrees/elsewhere/commondir', os.getcwd() + '/common\\n'),
    ('.git/worktrees/elsewhere/config.worktree', monitor),
    ('.git/worktrees/more/HEAD', 'x'),
]:
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'a' if path.endswith('/config') else 'w') as f: f.write(text)
        os.chmod(path, 0o755)
        with open('planted', 'a') as f: f.write(path + '\\n')
    except OSError: pass
`;

it("an agent's command changes nothing by which git runs programs in submodules and other work trees", async () => {
  const context = await toolContext();
  const { workspace } = context;
  const mark = join(dirname(workspace), 'mark');
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
      cwd,
      env: { ...PERSON, MARK: mark },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const library = join(dirname(workspace), 'lib');
  await mkdir(library);
  for (const folder of [library, workspace]) {
    git(folder, 'init', '-q');
    await writeFile(join(folder, 'a.txt'), 'a\n');
    git(folder, 'add', '.');
    git(folder, 'commit', '-qm', 'one');
  }
  git(workspace, 'submodule', 'add', '-q', library, 'lib');
  git(workspace, 'worktree', 'add', '-q', join(dirname(workspace), 'elsewhere'));
  await writeFile(join(workspace, 'plant.py'), PLANT);

  const result = await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', 'plant.py'] }, context);

  expect(JSON.stringify(result)).toContain('ran, what `common/config` has git do was made or changed');
  expect(await readFile(join(workspace, 'planted'), 'utf8')).toBe('common/config\ncommon/HEAD\n');
  for (const folder of [workspace, join(workspace, 'lib'), join(dirname(workspace), 'elsewhere')])
    git(folder, 'status', '--short');
  git(join(workspace, 'lib'), 'checkout', '-q', 'HEAD');
  expect(await readdir(dirname(workspace))).not.toContain('mark');

  // It commits all the same.
  await writeFile(join(workspace, 'b.txt'), 'b\n');
  for (const argv of [
    ['git', 'add', 'b.txt'],
    ['git', 'commit', '-qm', 'two', '--author=a <a@example.org>'],
  ])
    await callTool({ kind: 'builtin', name: 'shell' }, { argv }, context);
  expect(git(workspace, 'ls-files', 'b.txt')).toBe('b.txt\n');
});
