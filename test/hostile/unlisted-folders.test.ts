import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixedIn } from '../../src/activities/tools/shell/fixed-in.js';
import { keptPlaces } from '../../src/activities/workspace/kept-places.js';
import { guardWorkspace } from '../../src/activities/tools/shell/misleading.js';
import { toolContext } from '../activities/helpers/tool-context.js';
import { asSomebody, giveAway } from './somebody.js';

it.each([0o311, 0o100])('nothing starts as `perdure` in a folder that nobody lists: %o', async (mode) => {
  const context = await toolContext();
  const { workspace } = context;
  const folder = join(workspace, 'packages');
  const places = [dirname(workspace), workspace, context.store.folder ?? ''];
  for (const path of places) chmodSync(path, 0o777);
  // Root may do everything: as somebody else we are what hosts usually are.
  await asSomebody(async () => {
    const guard = await guardWorkspace(workspace, { fixed: [], kept: [] }, context);
    mkdirSync(join(folder, 'a', 'node_modules', '.bin'), { recursive: true });
    writeFileSync(join(folder, 'a', 'node_modules', '.bin', 'perdure'), 'evil');
    chmodSync(join(folder, 'a'), mode);
    chmodSync(folder, mode);
    expect(await guard()).toEqual(['`packages/a/node_modules/.bin/perdure`']);
  });
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
  giveAway(workspace);
  chmodSync(join(workspace, 'n', '.git'), 0o444);
  await asSomebody(async () => {
    expect(await guard()).toEqual(['what `y/.git/config` has git do']);
    const place = { ...context, projects: [] };
    const fixed = await fixedIn(place, context.permissions.protected);
    expect(await (await guardWorkspace(workspace, { fixed, kept: keptPlaces(workspace, fixed) }, context))()).toEqual(
      [],
    );
  });
  chmodSync(join(workspace, 'n', '.git'), 0o755);
  expect(readFileSync(join(workspace, 'y', '.git', 'config'), 'utf8')).not.toContain('fsmonitor');
});

describe('where nobody may change, or read, what a command has made', () => {
  it.each([
    ['settings of git', 'x/.git', 'what `x/.git/config` has git do'],
    ['a folder whose name is no UTF-8', 'x', '`x/s%FF`'],
    ['settings of git that nobody may read', 'x/.git/config', 'what `x/.git/config` has git do'],
  ])('%s are taken away', async (what, closed, told) => {
    const context = await toolContext();
    const { workspace } = context;
    const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: workspace, stdio: 'ignore' });
    git('init', '-q', 'x');
    for (const path of [dirname(workspace), workspace, context.store.folder ?? '']) chmodSync(path, 0o777);
    giveAway(workspace);
    const unnamed = Buffer.concat([Buffer.from(join(workspace, 'x/s')), Buffer.from([0xff])]);
    await asSomebody(async () => {
      const guard = await guardWorkspace(workspace, { fixed: [], kept: [] }, context);
      if (what.includes('git')) appendFileSync(join(workspace, 'x/.git/config'), '[core]\n\tfsmonitor = ./evil\n');
      else {
        mkdirSync(unnamed);
        writeFileSync(Buffer.concat([unnamed, Buffer.from('/package.json')]), '{}');
      }
      chmodSync(join(workspace, closed), closed.endsWith('config') ? 0 : 0o555);
      expect(await guard()).toEqual([told]);
    });
    const config = join(workspace, 'x/.git/config');
    expect(existsSync(config) && readFileSync(config, 'utf8').includes('fsmonitor')).toBe(false);
    expect(existsSync(unnamed)).toBe(false);
  });
});

it.each([0, 0o111, 0o555])(
  'a workspace that a command closes keeps nothing that it must not make: %o',
  async (mode) => {
    const context = await toolContext();
    const { workspace } = context;
    for (const path of [dirname(workspace), workspace, context.store.folder ?? '']) chmodSync(path, 0o777);
    giveAway(workspace);
    const envrc = join(workspace, '.envrc');
    await asSomebody(async () => {
      const guard = await guardWorkspace(workspace, { fixed: [envrc], kept: ['.envrc'] }, context);
      writeFileSync(envrc, 'evil\n');
      chmodSync(workspace, mode);
      expect(await guard()).toEqual(['`.envrc`']);
    });
    expect(existsSync(envrc)).toBe(false);
  },
);
