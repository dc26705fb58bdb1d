import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
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

it('what was required once is known to every worker that starts later', async () => {
  const { folder, workers } = book();
  await workers.requireWorkers(['gpu', 'program:nvcc']);
  await workers.requireWorkers(['gpu', 'program:nvcc']);
  expect(await createWorkerFiles(folder).listRequired()).toEqual([['gpu', 'program:nvcc']]);
});
