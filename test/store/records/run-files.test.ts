import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../src/plan/result.js';
import { openStore } from '../../../src/store/local-store.js';
import { createRunFiles, recordFile, recordsBelow } from '../../../src/store/records/run-files.js';
import { temporaryFolder } from '../helpers/harness.js';
import { runRecord } from '../helpers/run-record.js';

const RECORD = runRecord('review-abc', { plan_name: 'review', workspace: '..' });

describe('records of runs', () => {
  it('are kept by id, and listed', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    expect(await store.listRuns()).toEqual([]);
    await store.writeRun(RECORD);
    await store.writeRun({ ...RECORD, run: 'another-1' });
    expect(await (await openStore(folder)).readRun('review-abc')).toEqual(RECORD);
    expect(await store.listRuns()).toEqual(['another-1', 'review-abc']);
    expect(await store.readRun('never-was')).toBeNull();
  });

  it('are given the latest first, without what cannot be read', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    for (const [run, ended_at] of Object.entries({
      a: '2026-01-02',
      b: '2026-01-03',
      'b/c': '2026-01-04',
      d: '2026-01-01',
    }))
      await store.writeRun({ ...RECORD, run, ended_at });
    await writeFile(join(folder, 'runs', 'e.json'), 'spoilt');
    const pages: RunRecord[][] = [];
    for await (const page of store.closedRuns()) pages.push(page);
    expect(pages.flat().map(({ run }) => run)).toEqual(['b', 'a', 'd']);
  });

  it('are counted, and given by pages of the wanted size', async () => {
    const store = await openStore(await temporaryFolder());
    expect(await store.countRuns()).toBe(0);
    for (const day of [3, 1, 5, 2, 4])
      await store.writeRun({ ...RECORD, run: `day-${day}`, ended_at: `2026-01-0${day}` });
    await store.writeRun({ ...RECORD, run: 'day-1/nested' });
    expect(await store.countRuns()).toBe(5);
    const pages: string[][] = [];
    for await (const page of store.closedRuns(2)) pages.push(page.map(({ run }) => run));
    expect(pages).toEqual([['day-5', 'day-4'], ['day-3', 'day-2'], ['day-1']]);
    // One that is written again is where it ended last.
    await store.writeRun({ ...RECORD, run: 'day-1', ended_at: '2026-01-06' });
    expect((await store.closedRuns(1).next()).value).toMatchObject([{ run: 'day-1' }]);
  });

  it('are given the latest first where they were copied without their times, and have them from then on', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const days = ['05', '03', '09', '01', '07', '08', '02', '06', '04'];
    for (const day of days) await store.writeRun({ ...RECORD, run: `day-${day}`, ended_at: `2026-01-${day}` });
    const file = (day: string): string => join(folder, 'runs', `day-${day}.json`);
    const copied = new Date('2026-01-08T12:00:00Z');
    for (const day of days.filter((each) => each !== '09')) utimesSync(file(day), copied, copied);
    const given: string[] = [];
    for await (const page of store.closedRuns(1)) given.push(...page.map(({ run }) => run));
    expect(given).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1].map((day) => `day-0${String(day)}`));
    expect(days.map((day) => statSync(file(day)).mtime.toISOString().slice(8, 10))).toEqual(days);
  });

  it('tell which of those that were submitted have ended', async () => {
    const store = await openStore(await temporaryFolder());
    const submitted = { definition: 'd', rehearsal: false, submitted_by: 'ana', submitted_at: '2026-01-01T00:00:00Z' };
    const runs = ['open', 'closed', 'v1.2', 'r'.repeat(128)];
    for (const run of runs) await store.noteSubmitted({ ...submitted, run });
    const unrecorded = async (): Promise<string[]> => (await store.listUnrecorded()).map(({ run }) => run).sort();
    expect(await unrecorded()).toEqual(runs.toSorted());
    for (const run of runs.slice(1)) await store.writeRun({ ...RECORD, run });
    expect(await unrecorded()).toEqual(['open']);
    const read = await store.readSubmitted(['v1.2', 'never', 'open']);
    expect(read.map(({ run }) => run).sort()).toEqual(['open', 'v1.2']);
  });

  it('are there only once what they name is', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    let putAway = (): void => undefined;
    const written = store.writeRun(
      RECORD,
      new Promise<void>((resolve) => {
        putAway = resolve;
      }),
    );
    while (!(await readdir(folder)).includes('runs') || (await readdir(join(folder, 'runs'))).length === 0);
    expect(await store.listRuns()).toEqual([]);
    putAway();
    await written;
    expect(await store.listRuns()).toEqual(['review-abc']);
    const lost = Promise.reject(new Error('lost'));
    lost.catch(() => undefined); // also told by the record
    await expect(store.writeRun({ ...RECORD, run: 'another-1' }, lost)).rejects.toMatchObject({ name: 'StoreFailure' });
    expect(await store.listRuns()).toEqual(['review-abc']);
  });

  it('of nested runs are kept however deep they are, and not listed', async () => {
    const store = await openStore(await temporaryFolder());
    for (const run of ['review-abc/report', `${'r'.repeat(128)}/${Array(5).fill('s'.repeat(63)).join('/')}`]) {
      await store.writeRun({ ...RECORD, run });
      expect((await store.readRun(run))?.run).toBe(run);
    }
    expect(await store.listRuns()).toEqual([]);
  });

  it.each(['../escape', 'a/../b', 'a/', 'a+b', '/a', '', '.hidden', 'a\u001b[31m'])(
    'with the id `%s` are neither written nor looked for',
    async (run) => {
      const folder = await temporaryFolder();
      const store = await openStore(join(folder, '.perdure'));
      await expect(store.writeRun({ ...RECORD, run })).rejects.toMatchObject({
        type: 'internal',
        message: `Expected a run's id, got \`${run}\`.`,
      });
      expect(await store.readRun(run)).toBeNull();
      expect(await readdir(folder)).toEqual(['.perdure']);
    },
  );
});

describe('the records of nested runs', () => {
  const DEEP = `root/${Array(5).fill('s'.repeat(63)).join('/')}`;
  const record = (run: string): RunRecord => ({ run, ended_at: '2026-01-01' }) as RunRecord; // no more is looked at

  it('are those below a run, however deep, and not of one that begins alike', async () => {
    const folder = join(await temporaryFolder(), 'runs');
    expect(await recordsBelow(folder, 'root')).toEqual([]);
    const files = createRunFiles(folder);
    for (const run of ['root', 'root/a', 'root/a/b', DEEP, 'root2/a', 'roo/t']) await files.writeRun(record(run));
    expect(await files.listRuns('root')).toEqual(['root/a', 'root/a/b', DEEP].sort());
    expect(await files.listRuns('root/a')).toEqual(['root/a/b']);
    expect(await files.listRuns()).toEqual(['root']);
    const found = await recordsBelow(folder, 'root');
    expect(found.map(({ run }) => recordFile(run)).sort()).toEqual(found.map(({ file }) => file).sort());
    await files.forgetRun('root/a');
    await files.forgetRun('../runs/root');
    expect(await files.listRuns('root')).toEqual(['root/a/b', DEEP].sort());
    expect(await readdir(folder)).toContain('root.json');
  });

  it('have names that a file system takes', () => {
    const longest = `${'r'.repeat(100)}/${'s'.repeat(63)}/${'t'.repeat(35)}`;
    expect(recordFile(longest)).toBe(`${longest.replaceAll('/', '+')}.json`);
    expect(recordFile(`${longest}u`)).toMatch(/^\+[0-9a-f]{64}\.json$/);
    expect(recordFile('root/_a/0')).toBe('root+_a+0.json');
  });

  it.each(['', '{"run":', 'null', '{}', '{"run":7}'])(
    'are found beside one of which nobody knows whose it is: %s',
    async (text) => {
      const folder = await temporaryFolder();
      const files = createRunFiles(folder);
      await files.writeRun(record('root/a'));
      writeFileSync(join(folder, recordFile(DEEP) ?? ''), text);
      expect(await files.listRuns('root')).toEqual(['root/a']);
    },
  );

  it.each<[string, unknown]>([
    ['an empty map', {}],
    ['nothing', null],
    ['a list', []],
    ['one that spent nothing known', { ...RECORD, spend: null }],
    ['one of a run without a name', { ...RECORD, run: 7 }],
  ])('that are JSON and no records are damaged, and not among those that are given: %s', async (_, value) => {
    const folder = await temporaryFolder();
    const files = createRunFiles(folder);
    await files.writeRun({ ...RECORD, run: 'good' });
    const file = join(folder, 'root.json');
    writeFileSync(file, JSON.stringify(value));
    await expect(files.readRun('root')).rejects.toMatchObject({
      type: 'store-missing',
      message: `The record of run \`root\` is corrupt: the file \`${file}\` lacks what a record has.`,
    });
    expect((await files.closedRuns().next()).value).toMatchObject([{ run: 'good' }]);
  });

  it('that are damaged say what is', async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, 'root.json'), '{');
    await expect(createRunFiles(folder).readRun('root')).rejects.toMatchObject({
      type: 'store-missing',
      message: expect.stringMatching(/The record of run `root` is corrupt/),
      cause: expect.any(SyntaxError),
    });
  });
});
