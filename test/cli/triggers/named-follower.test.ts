import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changeFollower } from '../../../src/cli/triggers/named-follower.js';
import type { Follower } from '../../../src/plan/triggers/follow.js';
import { createFollowerFiles } from '../../../src/store/records/follower-files.js';
import { temporaryFolder } from '../../store/helpers/harness.js';

const FOLLOWER: Follower = {
  ...{ definition: 'after', file: 'after.yml', project: 'a', definitions: ['report'], ends: ['success'], when: null },
  ...{ prepared: 'sha256:1', source: 'sha256:2', settled: 'sha256:3' },
};

it.each([
  ['is gone', []],
  ['is another project’s now', [{ ...FOLLOWER, project: 'b' }]],
])('pauses and resumes nothing where what was found %s', async (_now, put) => {
  const store = createFollowerFiles(join(await temporaryFolder(), 'followers.json'), 'one');
  await store.changeFollowers({ put });
  for (const action of [{ kind: 'pause', note: 'for the move' }, { kind: 'resume' }] as const)
    await expect(changeFollower(FOLLOWER, action, store)).rejects.toThrow('`after` was removed meanwhile.');
  expect(await store.readFollowers()).toEqual(put);
});
