import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLocked, takeLock } from '../../../src/workers/processes/lock.js';
import { packageRoot } from '../../../src/store/folders/package-root.js';
import { endWithEachTest, newFolder, spawnNode, waitFor } from '../helpers/setting.js';

endWithEachTest();

const LOCK_MODULE = join(packageRoot(), 'dist', 'workers', 'processes', 'lock.js');

describe('a lock on a folder', () => {
  it('is held by one at a time, and free again after its release', async () => {
    const folder = newFolder();
    const lock = await takeLock(folder, 'host');
    expect(lock).not.toBeNull();
    expect(await takeLock(folder, 'host')).toBeNull();
    expect(await isLocked(folder, 'host')).toBe(true);
    await lock?.release();
    expect(await isLocked(folder, 'host')).toBe(false);
    const again = await takeLock(folder, 'host');
    expect(again).not.toBeNull();
    await again?.release();
  });

  it('knows folders by their real path, and purposes apart', async () => {
    const folder = newFolder();
    const lock = await takeLock(folder, 'host');
    expect(await takeLock(`${folder}/../${folder.split('/').at(-1) ?? ''}/.`, 'host')).toBeNull();
    const other = await takeLock(folder, 'temporal');
    expect(other).not.toBeNull();
    await lock?.release();
    await other?.release();
  });

  it('dies with its owner, also by kill -9, though a child of the owner lives on', async () => {
    const folder = newFolder();
    const owner = spawnNode([
      '--input-type=module',
      '-e',
      `
      import { takeLock } from ${JSON.stringify(LOCK_MODULE)};
      import { spawn } from 'node:child_process';
      await takeLock(${JSON.stringify(folder)}, 'host');
      spawn('sleep', ['60']);
      setInterval(() => {}, 1000);
      console.log('held');`,
    ]);
    if (owner.stdout === null) throw new Error('no output');
    await once(owner.stdout, 'data');
    expect(await takeLock(folder, 'host')).toBeNull();
    owner.kill('SIGKILL');
    const lock = await waitFor('the lock', () => takeLock(folder, 'host'));
    await lock.release();
  });

  it('goes to exactly one of twenty who want it at once', async () => {
    const folder = newFolder();
    const locks = await Promise.all(Array.from({ length: 20 }, () => takeLock(folder, 'host')));
    expect(locks.filter((lock) => lock !== null)).toHaveLength(1);
    for (const lock of locks) await lock?.release();
  });
});
