// @module-tag git
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { removeLeftLocks } from '../../../src/store/worktrees/left-locks.js';
import { WorkProject } from '../helpers/work-project.js';

let project: WorkProject;

beforeEach(async () => {
  project = new WorkProject({ 'a.txt': 'a\n', 'in/b.txt': 'b\n' });
  await project.make();
  await project.begin('one');
});

/** Somebody who works in a folder. */
async function workIn(folder: string): Promise<() => Promise<void>> {
  const working = spawn('sh', ['-c', 'read line'], { cwd: folder });
  await once(working, 'spawn');
  const stop = async (): Promise<void> => {
    working.kill();
    if (working.exitCode === null && working.signalCode === null) await once(working, 'exit');
  };
  onTestFinished(stop);
  return stop;
}

const lock = (file: string): string => {
  project.put(file, '');
  return join(project.folder, file);
};

describe('a lock that a git has left which was killed', () => {
  const repository = '.perdure/worktrees/r/repository';

  it('is open again for the next one who works in that tree', async () => {
    const locks = ['main/index.lock', 'main/HEAD.lock'].map((name) => lock(`${repository}/worktrees/${name}`));
    const other = lock(`${repository}/worktrees/one/index.lock`);
    const shared = ['config.lock', 'packed-refs.lock'].map((name) => lock(`${repository}/${name}`));
    const ours = lock(`${repository}/HEAD.lock`);
    await removeLeftLocks(project.state, project.tree());
    expect([...locks, ...shared].filter((file) => existsSync(file))).toEqual([]);
    expect([other, ours].every((file) => existsSync(file))).toBe(true);
    await removeLeftLocks(project.state, join(project.tree('one'), 'in'));
    expect(existsSync(other)).toBe(false);
  });

  it('stays while somebody works there, who may hold it', async () => {
    const [own, shared] = [lock(`${repository}/worktrees/main/index.lock`), lock(`${repository}/config.lock`)];
    const stop = await workIn(join(project.tree(), 'in'));
    await removeLeftLocks(project.state, project.tree());
    expect([existsSync(own), existsSync(shared)]).toEqual([true, true]);
    await stop();
    await workIn(project.tree('one'));
    await removeLeftLocks(project.state, project.tree());
    expect([existsSync(own), existsSync(shared)]).toEqual([false, true]);
  });

  it('is never one of a person’s own repository', async () => {
    project.git('init', '--quiet');
    const theirs = lock('.git/index.lock');
    await removeLeftLocks(project.state, project.folder);
    await removeLeftLocks(project.state, project.state);
    // Whoever may write there has put a link in the way.
    const admin = project.places().admin('main');
    renameSync(admin, `${admin}.away`);
    symlinkSync(join(project.folder, '.git'), admin);
    await removeLeftLocks(project.state, project.tree());
    renameSync(project.places().git, `${project.places().git}.away`);
    mkdirSync(join(project.folder, '.git/worktrees/main'), { recursive: true });
    const inside = lock('.git/worktrees/main/index.lock');
    symlinkSync(join(project.folder, '.git'), project.places().git);
    await removeLeftLocks(project.state, project.tree());
    expect([existsSync(theirs), existsSync(inside)]).toEqual([true, true]);
  });
});
