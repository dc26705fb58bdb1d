import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { hashesOf } from '../../../src/activities/commands/command-content.js';
import { folderHash } from '../../../src/activities/commands/folder-hash.js';
import { temporaryFolder } from '../helpers/harness.js';

async function sources(): Promise<{ root: string; hash: () => Promise<string | null | undefined> }> {
  const root = await temporaryFolder();
  await mkdir(join(root, 'src/deep'), { recursive: true });
  await writeFile(join(root, 'src/a.txt'), 'a');
  await writeFile(join(root, 'src/deep/b.txt'), 'b');
  return { root, hash: async () => (await hashesOf(['src'], root))['src'] };
}

it.each<[string, (root: string) => Promise<unknown>]>([
  ['a file is edited', (root) => writeFile(join(root, 'src/a.txt'), 'other')],
  ['a file deep in it is edited', (root) => writeFile(join(root, 'src/deep/b.txt'), 'other')],
  ['a file is added', (root) => writeFile(join(root, 'src/deep/c.txt'), '')],
  ['a file is removed', (root) => rm(join(root, 'src/deep/b.txt'))],
  ['a file is renamed', (root) => rename(join(root, 'src/a.txt'), join(root, 'src/c.txt'))],
  ['an empty folder is added', (root) => mkdir(join(root, 'src/empty'))],
  ['a link is added', (root) => symlink('a.txt', join(root, 'src/link'))],
  ['all of it is gone', (root) => rm(join(root, 'src'), { recursive: true })],
])('a folder that a command reads is another once %s', async (_, change) => {
  const { root, hash } = await sources();
  const before = await hash();
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  expect(await hash()).toBe(before);
  await change(root);
  expect(await hash()).not.toBe(before);
});

it('a folder is the same whatever git keeps in it, and whatever is where its links lead', async () => {
  const { root, hash } = await sources();
  await writeFile(join(root, 'outside.txt'), 'a');
  await symlink('../outside.txt', join(root, 'src/link'));
  await symlink('..', join(root, 'src/above'));
  const before = await hash();
  await mkdir(join(root, 'src/.git'));
  await writeFile(join(root, 'outside.txt'), 'other');
  expect(await hash()).toBe(before);
});

it('what nobody can compare is never the same: too many files, or what is no file at all', async () => {
  const { root } = await sources();
  execFileSync('mkfifo', [join(root, 'pipe')]);
  for (const look of [
    async () => (await hashesOf(['pipe'], root))['pipe'],
    () => folderHash(join(root, 'src'), async () => 'same', 2),
  ])
    expect(await look()).not.toBe(await look());
  expect(await folderHash(join(root, 'src'), async () => 'same', 3)).toMatch(/^[0-9a-f]{64}$/);
});
