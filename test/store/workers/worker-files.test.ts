import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { WorkerRecord } from '../../../src/plan/placement/worker-record.js';
import { createWorkerFiles } from '../../../src/store/workers/worker-files.js';
import { SILENT_MS } from '../../../src/store/workers/worker-book.js';

function book(): { folder: string; workers: ReturnType<typeof createWorkerFiles> } {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-workers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, workers: createWorkerFiles(folder) };
}

const RECORD: WorkerRecord = {
  id: 'abcd2345',
  host: hostname(),
  pid: process.pid,
  folder: '/project/.perdure',
  queue: 'perdure-store',
  labels: ['gpu'],
  serves: [],
  since: '2026-01-01T00:00:00.000Z',
  draining: false,
};

it('workers are listed while they say that they are there, and no longer', async () => {
  const { folder, workers } = book();
  await workers.noteWorker(RECORD);
  await workers.noteWorker({ ...RECORD, id: 'later234', since: '2026-01-02T00:00:00.000Z', draining: true });
  expect((await workers.listWorkers()).map(({ id, draining }) => [id, draining])).toEqual([
    ['abcd2345', false],
    ['later234', true],
  ]);
  const silent = new Date(Date.now() - SILENT_MS - 1_000);
  utimesSync(join(folder, 'abcd2345.json'), silent, silent);
  expect((await workers.listWorkers()).map(({ id }) => id)).toEqual(['later234']);
  await workers.noteWorker(RECORD);
  expect(await workers.listWorkers()).toHaveLength(2);
  await workers.forgetWorker('later234');
  expect((await workers.listWorkers()).map(({ id }) => id)).toEqual(['abcd2345']);
});

it('a worker whose process was killed is not there, however fresh its file is', async () => {
  const { workers } = book();
  // No process of this system has such a number.
  await workers.noteWorker({ ...RECORD, pid: 2 ** 30 });
  expect(await workers.listWorkers()).toEqual([]);
});

it('workers of other hosts are there while their files are fresh, the longest first', async () => {
  const { folder, workers } = book();
  const far = { ...RECORD, host: 'elsewhere', pid: 2 ** 30 };
  await workers.noteWorker({ ...far, id: 'b', since: '2026-01-03T00:00:00.000Z' });
  await workers.noteWorker({ ...far, id: 'c', since: '2026-01-01T00:00:00.000Z' });
  await workers.noteWorker({ ...far, id: 'a', since: '2026-01-02T00:00:00.000Z' });
  writeFileSync(join(folder, 'damaged.json'), '{');
  writeFileSync(join(folder, 'note.txt'), JSON.stringify({ ...far, id: 'note' }));
  symlinkSync(join(folder, 'nowhere'), join(folder, 'gone.json'));
  expect((await workers.listWorkers()).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
});

it('a record is written once and then touched, and anew when it says something else or was removed', async () => {
  const { folder, workers } = book();
  const file = join(folder, 'abcd2345.json');
  await workers.noteWorker(RECORD);
  const { ino } = statSync(file);
  const old = new Date(Date.now() - 10_000);
  utimesSync(file, old, old);
  expect(await workers.noteWorker({ ...RECORD })).toBe(true);
  expect(statSync(file).ino).toBe(ino);
  expect(statSync(file).mtimeMs).toBeGreaterThan(old.getTime() + 5_000);
  await workers.noteWorker({ ...RECORD, draining: true });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ draining: true });
  rmSync(file);
  await workers.noteWorker({ ...RECORD, draining: true });
  expect(await workers.listWorkers()).toHaveLength(1);
});

it('the file of a worker that has ended without a word is kept for an hour', async () => {
  const { folder, workers } = book();
  await workers.noteWorker(RECORD);
  await workers.noteWorker({ ...RECORD, id: 'older' });
  const hour = 3_600_000;
  const [silent, forgotten] = [Date.now() - hour + 60_000, Date.now() - hour - 1_000].map((at) => new Date(at)) as [
    Date,
    Date,
  ];
  utimesSync(join(folder, 'abcd2345.json'), silent, silent);
  utimesSync(join(folder, 'older.json'), forgotten, forgotten);
  expect(await workers.listWorkers()).toEqual([]);
  expect(readdirSync(folder)).toEqual(['abcd2345.json']);
});

it('nobody is there and nothing is required before somebody says so', async () => {
  const { folder } = book();
  const workers = createWorkerFiles(join(folder, 'none'));
  await workers.forgetWorker('abcd2345');
  expect([await workers.listWorkers(), await workers.listRequired()]).toEqual([[], []]);
  await workers.requireWorkers(['gpu']);
  await workers.noteWorker(RECORD);
  writeFileSync(join(folder, 'none', 'required', 'half.tmp'), 'half');
  expect([(await workers.listWorkers()).length, await workers.listRequired()]).toEqual([1, [['gpu']]]);
});

it('what was required once is known to every worker that starts later', async () => {
  const { folder, workers } = book();
  await workers.requireWorkers(['gpu', 'program:nvcc']);
  await workers.requireWorkers(['gpu', 'program:nvcc']);
  expect(await createWorkerFiles(folder).listRequired()).toEqual([['gpu', 'program:nvcc']]);
});
