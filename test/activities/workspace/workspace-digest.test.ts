// @module-tag git
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { workspaceDigest } from '../../../src/activities/workspace/workspace-digest.js';
import { sourcesOf } from '../../../src/cli/submit/rerun/rerun-lineage.js';
import type { RunRecord } from '../../../src/plan/result.js';
import { script } from '../../plan/helpers/build-blocks.js';
import { plan } from '../../plan/helpers/build-plan.js';
import { runRecord } from '../../store/helpers/run-record.js';
import { temporaryFolder } from '../helpers/harness.js';

const looking = plan([script(0, 'cat src.txt', [], { id: 'look' })]);

afterEach(() => vi.unstubAllEnvs());

/** A folder under git with one file. */
async function repository(): Promise<string> {
  const folder = await temporaryFolder();
  execFileSync('git', ['init', '-q', folder]);
  await writeFile(join(folder, 'src.txt'), 'good\n');
  return folder;
}

/** Makes so many repositories below a folder. */
async function fillWith(folder: string, many: number): Promise<void> {
  for (let index = 0; index < many; index += 1) {
    const git = join(folder, `r${index}`, '.git');
    await mkdir(join(git, 'objects'), { recursive: true });
    await mkdir(join(git, 'refs'));
    await writeFile(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  }
}

/** Whether a rerun of a run that left this state takes the files for changed. */
async function isChanged(
  folder: string,
  workspace_digest: RunRecord['workspace_digest'],
): Promise<boolean | undefined> {
  const record = runRecord('r', { workspace: folder, workspace_digest });
  const [source] = await sourcesOf(looking, [{ record }], { folder: null });
  return source?.changed;
}

describe('the state of a workspace', () => {
  it('is none without git: a rerun takes files there for unchanged', async () => {
    const folder = await temporaryFolder();
    expect(await workspaceDigest(folder)).toBeNull();
    expect(await isChanged(folder, null)).toBe(false);
  });

  it('is not known where there is no place for a look, and a rerun takes its files for changed', async () => {
    const folder = await repository();
    const before = await workspaceDigest(folder);
    expect(before).toMatch(/^sha256:/);
    expect(await isChanged(folder, before)).toBe(false);
    vi.stubEnv('TMPDIR', join(folder, 'src.txt'));
    expect(await workspaceDigest(folder)).toBe('unknown');
    expect(await isChanged(folder, 'unknown')).toBe(true);
    // Records of before that have no state may be of such a run, too.
    expect(await isChanged(folder, null)).toBe(true);
    vi.unstubAllEnvs();
    expect(await isChanged(folder, 'unknown')).toBe(true);
  });

  it('is not known of more than 50 repositories, nor taken for the same', async () => {
    const folder = await repository();
    await fillWith(folder, 49);
    expect(await isChanged(folder, await workspaceDigest(folder))).toBe(false);
    await fillWith(join(folder, 'more'), 1);
    expect(await workspaceDigest(folder)).toBe('unknown');
    expect(await isChanged(folder, 'unknown')).toBe(true);
  });
});
