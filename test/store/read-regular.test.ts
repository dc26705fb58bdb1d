import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readIfThere, readText, readTextNow } from '../../src/store/read-regular.js';
import { appliedUntil, noteApplied } from '../../src/store/worktrees/applied.js';
import { treePlaces } from '../../src/store/worktrees/places.js';
import { fillDescriptors } from './helpers/descriptors.js';
import { temporaryFolder } from './helpers/harness.js';

describe.each<[string, (path: string) => Promise<string>]>([
  ['read', readText],
  ['read at once', async (path) => readTextNow(path)],
])('a file of ours that is %s', (_, read) => {
  it('is given whole, also by a link to it', async () => {
    const file = join(await temporaryFolder(), 'file');
    writeFileSync(file, 'ü'.repeat(100_000));
    symlinkSync('file', `${file}-link`);
    expect(await read(`${file}-link`)).toBe('ü'.repeat(100_000));
  });

  it('is a failure where it is no file, is waited for by nobody, and stays open nowhere', async () => {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let look = 0; look < 50; look += 1)
      for (const [path, code] of [
        [join(folder, 'folder'), 'EISDIR'],
        [join(folder, 'pipe'), 'ENXIO'],
        ['/dev/zero', 'ENXIO'],
        [join(folder, 'nothing'), 'ENOENT'],
      ] as const)
        await expect(read(path)).rejects.toMatchObject({ code });
    expect(open()).toBeLessThan(before + 50);
  });
});

it('a file of ours that cannot be opened now is not taken for none', async () => {
  const folder = await temporaryFolder();
  const places = treePlaces(folder, 'run');
  mkdirSync(places.folder, { recursive: true });
  const commit = 'a'.repeat(40);
  await noteApplied(places, commit);
  expect(await readIfThere(join(folder, 'nothing'))).toBeNull();
  const fill = fillDescriptors();
  const reads = [readIfThere(join(places.folder, 'applied')), appliedUntil(places)];
  const ends = await Promise.allSettled(reads).finally(fill.free);
  const why = expect.objectContaining({ message: expect.stringContaining('EMFILE') as string }) as unknown;
  expect(ends).toEqual(reads.map(() => ({ status: 'rejected', reason: why })));
  expect(await appliedUntil(places)).toBe(commit);
});
