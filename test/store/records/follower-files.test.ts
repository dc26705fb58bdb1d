import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Follower } from '../../../src/plan/triggers/follow.js';
import { createFollowerFiles } from '../../../src/store/records/follower-files.js';
import { temporaryFolder } from '../helpers/harness.js';

const FOLLOWER: Follower = {
  definition: 'after',
  file: 'definitions/workflows/after.yml',
  project: '..',
  definitions: ['report'],
  ends: ['success'],
  when: null,
  prepared: 'sha256:1',
  source: 'sha256:2',
  settled: 'sha256:3',
};

it('keeps followers as they are, and none where nothing was synced', async () => {
  const path = join(await temporaryFolder(), 'followers.json');
  const files = createFollowerFiles(path, 'one');
  expect(await files.readFollowers()).toEqual([]);
  await files.changeFollowers({ put: [FOLLOWER] });
  expect(await files.readFollowers()).toEqual([FOLLOWER]);
  await files.changeFollowers({ remove: [FOLLOWER] });
  expect(await files.readFollowers()).toEqual([]);
});

it('loses none of those that are changed at once through several stores', async () => {
  const path = join(await temporaryFolder(), 'followers.json');
  const [here, there] = [createFollowerFiles(path, 'one'), createFollowerFiles(path, 'one')];
  const all = Array.from({ length: 8 }, (_, index) => ({ ...FOLLOWER, definition: `after${index}` }));
  await Promise.all(all.map((one, index) => (index % 2 ? here : there).changeFollowers({ put: [one] })));
  const definitions = (await here.readFollowers()).map(({ definition }) => definition);
  expect(definitions.sort()).toEqual(all.map(({ definition }) => definition));
});

it('lets one that was paused meanwhile stay so, and what another project has under a name', async () => {
  const files = createFollowerFiles(join(await temporaryFolder(), 'followers.json'), 'one');
  await files.changeFollowers({ put: [FOLLOWER] });
  await files.changeFollowers({ pause: { definition: 'after', project: FOLLOWER.project, note: 'for the move' } });
  const paused = { ...FOLLOWER, file: 'other.yml', paused: 'for the move' };
  expect(await files.changeFollowers({ put: [{ ...FOLLOWER, file: 'other.yml' }] })).toEqual([paused]);
  const foreign = { ...FOLLOWER, project: 'other' };
  expect(await files.changeFollowers({ put: [foreign], remove: [foreign] })).toEqual([paused]);
  expect(
    await files.changeFollowers({ pause: { definition: 'after', project: FOLLOWER.project, note: null } }),
  ).toEqual([{ ...FOLLOWER, file: 'other.yml' }]);
});

it('knows none of those that another store was synced for: a copy starts nothing', async () => {
  const path = join(await temporaryFolder(), 'followers.json');
  await createFollowerFiles(path, 'one').changeFollowers({ put: [FOLLOWER] });
  expect(await createFollowerFiles(path, 'two').readFollowers()).toEqual([]);
});

it('says of a damaged file that it is not known what starts, and how to mend it', async () => {
  const path = join(await temporaryFolder(), 'followers.json');
  const files = createFollowerFiles(path, 'one');
  await files.changeFollowers({ put: [FOLLOWER] });
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -9));
  await expect(files.readFollowers()).rejects.toMatchObject({
    type: 'store-missing',
    message: expect.stringContaining('`perdure schedules sync`') as string,
  });
  expect(await files.changeFollowers({ put: [FOLLOWER] })).toEqual([FOLLOWER]);
});
