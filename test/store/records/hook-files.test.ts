import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { HookWish } from '../../../src/plan/triggers/hook-places.js';
import { createHookFiles } from '../../../src/store/records/hook-files.js';
import { temporaryFolder } from '../helpers/harness.js';

const wish = (starter: string, ended: string[] = []): HookWish => ({ starter, at: 'then', most: 3, ended });

it('gives no more places than a hook has, however many ask at once through however many stores', async () => {
  const folder = await temporaryFolder();
  const [here, there] = [createHookFiles(folder), createHookFiles(folder)];
  const taken = await Promise.all(
    Array.from({ length: 8 }, (_, index) => (index % 2 ? here : there).takeHookPlace('a/b', wish(`s${index}`))),
  );
  expect(taken.filter(({ isTaken }) => isTaken)).toHaveLength(3);
  expect((await here.takeHookPlace('other', wish('s0'))).isTaken).toBe(true);
});

it('lets a starter keep its place, and gives that of one that has ended to another', async () => {
  const files = createHookFiles(await temporaryFolder());
  for (const starter of ['a', 'b', 'c']) await files.takeHookPlace('hook', wish(starter));
  expect((await files.takeHookPlace('hook', wish('b'))).isTaken).toBe(true);
  expect((await files.takeHookPlace('hook', wish('d', ['x']))).isTaken).toBe(false);
  const { isTaken, places } = await files.takeHookPlace('hook', wish('d', ['a']));
  expect(isTaken).toBe(true);
  expect(places.map(({ starter }) => starter)).toEqual(['b', 'c', 'd']);
});

it('gives no place where it is not known which are taken', async () => {
  const folder = await temporaryFolder();
  const files = createHookFiles(folder);
  await files.takeHookPlace('hook', wish('a'));
  const path = join(folder, 'hook', 'places.json');
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -3));
  await expect(files.takeHookPlace('hook', wish('b'))).rejects.toThrow('places.json');
});
