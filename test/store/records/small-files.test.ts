import { writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDeviceFiles } from '../../../src/store/records/device-files.js';
import { createMadeFiles } from '../../../src/store/records/made-files.js';
import { createRecordedFiles } from '../../../src/store/records/recorded-files.js';
import type { SubmittedRun } from '../../../src/store/records/submitted-files.js';
import { createSubmittedFiles } from '../../../src/store/records/submitted-files.js';
import { createTaintFiles } from '../../../src/store/records/taint-files.js';
import { temporaryFolder } from '../helpers/harness.js';

const folderFor = async (name: string): Promise<string> => join(await temporaryFolder(), name);

it('what is kept of a device is kept under its name alone, and is nothing before', async () => {
  const folder = await folderFor('devices');
  const files = createDeviceFiles(folder);
  expect(await files.readDevice('board')).toBeNull();
  await files.writeDevice('board', { image: 'a' });
  await files.writeDevice('../board', { image: 'b' });
  expect([await files.readDevice('board'), await files.readDevice('../board')]).toEqual([
    { image: 'a' },
    { image: 'b' },
  ]);
  writeFileSync(join(folder, 'board.json'), '{');
  await expect(files.readDevice('board')).rejects.toMatchObject({
    type: 'store-missing',
    message: expect.stringMatching(/The record of the device `board` is corrupt/),
    cause: expect.any(SyntaxError),
  });
  const memory = await createDeviceFiles(join(folder, 'other')).deviceMemory('board');
  expect([memory, (await stat(join(folder, 'other'))).isDirectory()]).toEqual([
    join(folder, 'other', 'board.flash'),
    true,
  ]);
});

it('a content that runs have left behind is told of the last of them, and no other content is', async () => {
  const files = createTaintFiles(await folderFor('taint'));
  expect(await files.taintedBy('sha256:a')).toBeNull();
  for (const run of ['one', 'two']) await files.taint('sha256:a', run);
  expect([await files.taintedBy('sha256:a'), await files.taintedBy('sha256:b')]).toEqual(['two', null]);
});

it('what a test gives in place of models is found by its run alone', async () => {
  const files = createRecordedFiles(await folderFor('recorded'));
  const recorded = { steps: { a: ['x'] } } as never; // kept as it is
  await files.writeRecorded('one', recorded);
  expect([await files.readRecorded('one'), await files.readRecorded('two')]).toEqual([recorded, null]);
});

describe('a run that was submitted', () => {
  const run = (id: string, more: Partial<SubmittedRun> = {}): SubmittedRun => ({
    ...{ run: id, definition: 'd', rehearsal: false, submitted_by: 'ana', submitted_at: '2026-01-01T00:00:00Z' },
    ...more,
  });

  const filesIn = (folder: string, ended: string[] = []) =>
    createSubmittedFiles(folder, { listRuns: async () => ended });

  it('is noted once, and known until it is forgotten', async () => {
    const files = filesIn(await folderFor('submitted'));
    expect(await files.listUnrecorded()).toEqual([]);
    const [a, b] = [run('a', { description: 'x' }), run('b', { in_folder: true, after: 'a' })];
    expect(await files.noteSubmitted(a)).toBe(true);
    expect(await files.noteSubmitted(run('a', { description: 'y' }))).toBe(false);
    expect(await files.noteSubmitted(b)).toBe(true);
    expect(await files.readSubmitted(['b', 'never', 'a'])).toEqual([b, a]);
    await files.forgetSubmitted('a');
    await files.forgetSubmitted('never');
    expect([await files.readSubmitted(['a', 'b']), await files.listUnrecorded()]).toEqual([[b], [b]]);
  });

  it('is among those without a record until it has left one', async () => {
    const folder = await folderFor('submitted');
    for (const id of ['a', 'b', 'c']) await filesIn(folder).noteSubmitted(run(id));
    const left = await filesIn(folder, ['b', 'other']).listUnrecorded();
    expect(left.map((one) => one.run).sort()).toEqual(['a', 'c']);
  });

  it.each(['', '{', 'null', '{"run":"a"}', JSON.stringify(run('a', { submitted_at: 'yesterday' }))])(
    'is not known where its note is damaged, and may be noted anew: %j',
    async (text) => {
      const folder = await temporaryFolder();
      writeFileSync(join(folder, 'a.json'), text);
      writeFileSync(join(folder, 'a.json.0123.tmp'), JSON.stringify(run('b')));
      const files = filesIn(folder);
      expect(await files.listUnrecorded()).toEqual([]);
      expect(await files.noteSubmitted(run('a'))).toBe(true);
      expect(await files.listUnrecorded()).toEqual([run('a')]);
    },
  );
});

describe('a file that was made', () => {
  const made = (file: string, hash: `sha256:${string}` = 'sha256:a') => ({
    file,
    hash,
    made_at: '2026-01-01T00:00:00Z',
  });

  it('is listed with the runs that were compiled from it, wherever it lies', async () => {
    const state = await temporaryFolder();
    const [inside, outside] = [join(state, '..', 'agents', 'a.yml'), '/elsewhere/b.yml'];
    const files = createMadeFiles(join(state, 'made'));
    expect(await files.listMade()).toEqual([]);
    await files.noteUse(inside, 'before');
    await files.writeMade(made(inside));
    await files.writeMade(made(outside, 'sha256:b'));
    for (const run of ['r1', 'r2/x']) await files.noteUse(inside, run);
    const listed = await files.listMade();
    expect(listed.map((one) => [one.made, [...one.runs].sort()]).sort()).toEqual(
      [
        [made(inside), ['r1', 'r2/x']],
        [made(outside, 'sha256:b'), []],
      ].sort(),
    );
    await files.forgetUse(inside, 'r1');
    await files.forgetMade(outside);
    expect(await files.listMade()).toEqual([{ made: made(inside), runs: ['r2/x'] }]);
  });

  it('that is made anew has no uses of before', async () => {
    const files = createMadeFiles(join(await temporaryFolder(), 'made'));
    await files.writeMade(made('/p/a.yml'));
    await files.noteUse('/p/a.yml', 'r');
    await files.writeMade(made('/p/a.yml', 'sha256:c'));
    expect(await files.listMade()).toEqual([{ made: made('/p/a.yml', 'sha256:c'), runs: [] }]);
  });
});
