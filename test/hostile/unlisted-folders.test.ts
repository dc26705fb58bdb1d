import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { fixedIn } from '../../src/activities/tools/shell/fixed-in.js';
import { keptPlaces } from '../../src/activities/workspace/kept-places.js';
import { guardWorkspace } from '../../src/activities/tools/shell/misleading.js';
import { toolContext } from '../activities/helpers/tool-context.js';

const NOBODY = 65534;

it.each([0o311, 0o100])('nothing starts as `perdure` in a folder that nobody lists: %o', async (mode) => {
  const context = await toolContext();
  const { workspace } = context;
  const folder = join(workspace, 'packages');
  const places = [dirname(workspace), workspace, context.store.folder ?? ''];
  for (const path of places) chmodSync(path, 0o777);
  // Root may do everything: as somebody else we are what hosts usually are.
  process.seteuid?.(NOBODY);
  try {
    const guard = await guardWorkspace(workspace, { fixed: [], kept: [] }, context);
    mkdirSync(join(folder, 'a', 'node_modules', '.bin'), { recursive: true });
    writeFileSync(join(folder, 'a', 'node_modules', '.bin', 'perdure'), 'evil');
    chmodSync(join(folder, 'a'), mode);
    chmodSync(folder, mode);
    expect(await guard()).toEqual(['`packages/a/node_modules/.bin/perdure`']);
  } finally {
    process.seteuid?.(0);
  }
  expect(existsSync(join(folder, 'a', 'node_modules', '.bin', 'perdure'))).toBe(false);
});

it('a repository that can be listed and not entered hides no other one', async () => {
  const context = await toolContext();
  const { workspace } = context;
  for (const path of [dirname(workspace), workspace, context.store.folder ?? '']) chmodSync(path, 0o777);
  const guard = await guardWorkspace(workspace, { fixed: [], kept: [] }, context);
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: workspace, stdio: 'ignore' });
  git('init', '-q');
  for (const name of ['n', 'y']) {
    git('init', '-q', name);
    git('-C', name, 'commit', '-q', '--allow-empty', '-m', 'x');
    git('add', name);
  }
  git('-C', 'y', 'config', 'core.fsmonitor', './evil');
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${NOBODY}`, workspace]);
  chmodSync(join(workspace, 'n', '.git'), 0o444);
  process.seteuid?.(NOBODY);
  try {
    expect(await guard()).toEqual(['what `y/.git/config` has git do']);
    const place = { ...context, projects: [] };
    const fixed = await fixedIn(place, context.permissions.protected);
    expect(await (await guardWorkspace(workspace, { fixed, kept: keptPlaces(workspace, fixed) }, context))()).toEqual(
      [],
    );
  } finally {
    process.seteuid?.(0);
    chmodSync(join(workspace, 'n', '.git'), 0o755);
  }
  expect(readFileSync(join(workspace, 'y', '.git', 'config'), 'utf8')).not.toContain('fsmonitor');
});
