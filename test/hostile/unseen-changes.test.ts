// @module-tag git
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workspaceDigest } from '../../src/activities/workspace/workspace-digest.js';
import { temporaryFolder } from '../activities/helpers/harness.js';

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
