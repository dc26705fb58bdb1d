import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createDeviceFiles } from '../../../src/store/records/device-files.js';
import { createFollowerFiles } from '../../../src/store/records/follower-files.js';
import { createHookFiles } from '../../../src/store/records/hook-files.js';
import { createMadeFiles } from '../../../src/store/records/made-files.js';
import { createNarrationFiles } from '../../../src/store/records/narration-files.js';
import { createProviderFiles } from '../../../src/store/records/provider-files.js';
import { createRecordedFiles } from '../../../src/store/records/recorded-files.js';
import { createRunFiles, recordsBelow } from '../../../src/store/records/run-files.js';
import type { SubmittedRun } from '../../../src/store/records/submitted-files.js';
import { createSubmittedFiles } from '../../../src/store/records/submitted-files.js';
import { openStore } from '../../../src/store/local-store.js';
import { temporaryFolder } from '../helpers/harness.js';

const NO_RUNS = { listRuns: async () => [] };
const run = (name: string): SubmittedRun => ({
  run: name,
  definition: 'd',
  rehearsal: false,
  submitted_by: 'ana',
  submitted_at: '2026-01-01T00:00:00.000Z',
});
const PAUSE = { until: 2, reason: 'r' };

/** By where something else stands: a folder in place of a file, and a file in place of a folder. */
const UNREADABLE: [what: string, act: 'read' | 'write', path: string, (at: string) => unknown][] = [
  ['a device', 'read', 'board.json', (at) => createDeviceFiles(at).readDevice('board')],
  ['followers', 'read', 'followers.json', (at) => createFollowerFiles(join(at, 'followers.json'), 's').readFollowers()],
  ['the places of a hook', 'read', 'hook/places.json', (at) => createHookFiles(at).takeHookPlace('hook', {} as never)],
  ['made files', 'read', 'made', (at) => createMadeFiles(join(at, 'made')).listMade()],
  ['a made file', 'read', 'made/a/made.json', (at) => createMadeFiles(join(at, 'made')).listMade()],
  ['taught concepts', 'read', 'r.concepts', (at) => createNarrationFiles(at).listConcepts('r')],
  ['a concept to teach', 'write', 'r.concepts', (at) => createNarrationFiles(at).claimConcept('r', 'c')],
  ['a pause', 'read', 'p.json', (at) => createProviderFiles(at).readPause('p')],
  ['a probe', 'write', 'providers', (at) => createProviderFiles(join(at, 'providers')).claimProbe('p', PAUSE, 1)],
  ['recorded answers', 'read', 'r.json', (at) => createRecordedFiles(at).readRecorded('r')],
  ['a record', 'read', 'r.json', (at) => createRunFiles(at).readRun('r')],
  ['records', 'read', 'runs', (at) => createRunFiles(join(at, 'runs')).listRuns()],
  ['records of nested runs', 'read', 'runs', (at) => recordsBelow(join(at, 'runs'), 'r')],
  ['a submitted run', 'read', 'r.json', (at) => createSubmittedFiles(at, NO_RUNS).noteSubmitted(run('r'))],
  [
    'submitted runs',
    'read',
    'submitted',
    (at) => createSubmittedFiles(join(at, 'submitted'), NO_RUNS).listUnrecorded(),
  ],
];

it.each(UNREADABLE)(
  '%s that cannot be reached is a failure to %s it by its path, and not nothing',
  async (_, act, path, use) => {
    const at = await temporaryFolder();
    const isFile = path.endsWith('.json');
    mkdirSync(isFile ? join(at, path) : dirname(join(at, path)), { recursive: true });
    if (!isFile) writeFileSync(join(at, path), '');
    const failure = await Promise.resolve()
      .then(() => use(at))
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(failure).toMatchObject({ name: 'StoreFailure', type: 'internal' });
    expect(String(failure)).toMatch(new RegExp(`Cannot ${act} \`${at}`, 'u'));
  },
);

it.each(UNREADABLE.filter(([, act, path]) => act === 'read' && path.endsWith('.json')))(
  '%s that is a pipe is waited for by nobody',
  async (_what, _act, path, use) => {
    const at = await temporaryFolder();
    mkdirSync(dirname(join(at, path)), { recursive: true });
    execFileSync('mkfifo', [join(at, path)]);
    const read = async (): Promise<unknown> => use(at);
    await expect(read()).rejects.toThrow(/expected a file, got a pipe/);
  },
);

it.each([
  ['a folder', (path: string) => mkdirSync(path)],
  ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
  ['a link to itself', (path: string) => symlinkSync(path, path)],
  ['no JSON', (path: string) => writeFileSync(path, '{')],
])('of many submitted runs one that is %s hides no other', async (_what, spoil) => {
  const at = await temporaryFolder();
  const files = createSubmittedFiles(at, NO_RUNS);
  await files.noteSubmitted(run('one'));
  spoil(join(at, 'other.json'));
  expect(await files.listUnrecorded()).toEqual([run('one')]);
  expect(await files.readSubmitted(['other', 'one'])).toEqual([run('one')]);
});

it('a file of another name than ours is listed as it is called', async () => {
  const at = await temporaryFolder();
  const store = await openStore(at);
  for (const folder of ['logs/run', 'narration/run.concepts']) mkdirSync(join(at, folder), { recursive: true });
  writeFileSync(join(at, 'logs/run/%zz.ndjson'), '{"at":"2026-01-01T00:00:00.000Z"}\n');
  writeFileSync(join(at, 'narration/run.concepts/%zz'), '');
  expect([await store.listLogs('run'), await store.listConcepts('run')]).toEqual([['%zz'], ['%zz']]);
});
