import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UseState } from '../../../src/activities/made/remove-made.js';
import { removeMade } from '../../../src/activities/made/remove-made.js';
import { sha256 } from '../../../src/store/hash.js';
import { openStore } from '../../../src/store/local-store.js';
import { temporaryFolder } from '../../store/helpers/harness.js';

describe('a made file', () => {
  it.each<[string, UseState[], boolean]>([
    ['that nothing has used', [], true],
    ['whose only run is open', ['open'], true],
    ['one of whose runs is open', ['closed', 'open'], true],
    ['whose only run was never started', ['unknown'], true],
    ['whose runs have closed', ['closed', 'closed'], false],
    ['whose run has closed, beside one that was never started', ['closed', 'unknown'], false],
  ])('%s: %j', async (_what, states, stays) => {
    const folder = await temporaryFolder();
    const store = await openStore(join(folder, 'state'));
    const file = join(folder, 'made.md');
    writeFileSync(file, 'made');
    await store.writeMade({ file, hash: sha256('made'), made_at: '2026-11-22T00:00:00Z' });
    for (const [index] of states.entries()) await store.noteUse(file, `run-${index}`);
    await store.noteUse(join(folder, 'other.md'), 'run-0');
    expect(await removeMade(store, async (run) => states[Number(run.slice(4))] ?? 'unknown')).toEqual(
      stays ? [] : [file],
    );
    expect(existsSync(file)).toBe(stays);
    expect((await store.listMade()).map(({ runs }) => runs)).toEqual(
      stays ? [states.flatMap((state, index) => (state === 'unknown' ? [] : [`run-${index}`]))] : [],
    );
  });

  it('is not removed where its folder has become a link to another that has the same', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(join(folder, 'state'));
    const file = join(folder, 'temp-agents', 'made.md');
    for (const name of ['temp-agents', 'other']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'made.md'), 'made');
    }
    await store.writeMade({ file, hash: sha256('made'), made_at: '2026-11-22T00:00:00Z' });
    await store.noteUse(file, 'run-0');
    renameSync(join(folder, 'temp-agents'), join(folder, 'moved'));
    symlinkSync('other', join(folder, 'temp-agents'));
    expect(await removeMade(store, async () => 'closed')).toEqual([]);
    expect(existsSync(join(folder, 'other', 'made.md'))).toBe(true);
  });
});
