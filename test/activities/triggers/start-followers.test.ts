import { expect, it } from 'vitest';
import { startFollowers } from '../../../src/activities/triggers/start-followers.js';
import type { Follower } from '../../../src/plan/triggers/follow.js';
import { openStore } from '../../../src/store/local-store.js';
import { runRecord } from '../../store/helpers/run-record.js';
import { temporaryFolder } from '../helpers/harness.js';

const FOLLOWER: Follower = {
  definition: 'mailer',
  file: 'definitions/workflows/mailer.yml',
  project: 'a',
  definitions: ['report'],
  ends: ['success'],
  when: null,
  prepared: `sha256:${'1'.repeat(64)}`,
  source: `sha256:${'2'.repeat(64)}`,
  settled: `sha256:${'3'.repeat(64)}`,
};

/** What the log of a run says of its followers: that one begins to be started shows, as what it starts is not there. */
async function saidAfter(project: string | undefined): Promise<string> {
  const store = await openStore(await temporaryFolder());
  await store.changeFollowers({ put: [FOLLOWER] });
  const ended = { ...runRecord('r'), plan_name: 'report', status: 'success' as const };
  await startFollowers({ ...ended, ...(project === undefined ? {} : { project }) }, store);
  return (await store.readLog('r', '.follow', 0)).lines.map(({ text }) => text).join('');
}

it('starts nothing after a run of another project whose definition has the name, and says so', async () => {
  const said = await saidAfter('b');
  expect(said).toContain('`mailer` is of the project `a`, and follows its runs alone; this run is of `b`.');
  expect(said).toContain('say `project: NAME` in perdure.yml of both, and sync.');
});

it('follows runs of its own project, and those of before, which do not say whose they are', async () => {
  for (const project of ['a', undefined]) expect(await saidAfter(project)).toContain('sha256:1111');
});
