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
  paused: 'for the move',
};

it('keeps followers as they are, and none where nothing was synced', async () => {
  const path = join(await temporaryFolder(), 'followers.json');
  const files = createFollowerFiles(path, 'one');
  expect(await files.readFollowers()).toEqual([]);
  await files.writeFollowers([FOLLOWER]);
  expect(await files.readFollowers()).toEqual([FOLLOWER]);
  await files.writeFollowers([]);
  expect(await files.readFollowers()).toEqual([]);
});

it('knows none of those that another store was synced for: a copy starts nothing', async () => {
  const path = join(await temporaryFolder(), 'followers.json');
  await createFollowerFiles(path, 'one').writeFollowers([FOLLOWER]);
  expect(await createFollowerFiles(path, 'two').readFollowers()).toEqual([]);
});

it('says of a damaged file that it is not known what starts, and how to mend it', async () => {
  const path = join(await temporaryFolder(), 'followers.json');
  const files = createFollowerFiles(path, 'one');
  await files.writeFollowers([FOLLOWER]);
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -9));
  await expect(files.readFollowers()).rejects.toMatchObject({
    type: 'store-missing',
    message: expect.stringContaining('`perdure schedules sync`') as string,
  });
});
