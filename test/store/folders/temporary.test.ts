import { mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeTemporary } from '../../../src/store/folders/temporary.js';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'perdure-places-')));
  await mkdir(join(folder, 'a', 'tmp'), { recursive: true });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** Where a folder is made while TMPDIR is this one. */
async function placeWith(temporary: string): Promise<string> {
  vi.stubEnv('TMPDIR', temporary);
  const made = await makeTemporary('hook');
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  expect(basename(made)).toMatch(/^perdure-hook-.{6}$/);
  expect((await stat(made)).mode & 0o777).toBe(0o700);
  return dirname(made);
}

describe('a temporary folder', () => {
  it('is made in TMPDIR, at its real path', async () => {
    await symlink(join(folder, 'a', 'tmp'), join(folder, 'link'));
    expect(await placeWith(join(folder, 'link'))).toBe(join(folder, 'a', 'tmp'));
  });

  it.each(['perdure.yml', '.git', '.perdure'])(
    'is made in no project, which is what `%s` stands in, but in the folder of the system',
    async (name) => {
      await writeFile(join(folder, 'a', name), '');
      await symlink(join(folder, 'a', 'tmp'), join(folder, 'link'));
      const system = await realpath('/tmp');
      expect(await placeWith(join(folder, 'a', 'tmp'))).toBe(system);
      expect(await placeWith(join(folder, 'link'))).toBe(system);
    },
  );
});
