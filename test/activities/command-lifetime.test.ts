import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { wrapperOnce } from '../../src/activities/process-namespace.js';
import type { Bench } from './harness.js';
import { createBench, failureOf, readLog, shell } from './harness.js';
import { fileWithLines, isAlive } from './processes.js';

/** Pids of everything of this run, as they stand outside of any namespace: the log of a namespace would tell others. */
async function taggedProcesses(bench: Bench): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const tagged = await Promise.all(pids.map(async (pid) => (await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')).includes(`PERDURE_RUN_TAG=${bench.store.id}:`)));
  const found = pids.filter((_pid, index) => tagged[index]);
  const alive = await Promise.all(found.map(isAlive));
  return found.filter((_pid, index) => alive[index]);
}

const STARTED = 'echo started >> started.txt';

describe('a cancelled command', () => {
  it('leaves nothing of its process tree alive, and the cancellation is rethrown', async () => {
    const bench = await createBench();
    const running = shell(bench, `${STARTED}; sleep 999 & sleep 999`);
    await fileWithLines(join(bench.folder, 'started.txt'), 1);
    const before = Date.now();
    bench.temporal.cancel('CANCELLED');
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    expect(Date.now() - before).toBeLessThan(3_000);
    expect(await taggedProcesses(bench)).toEqual([]);
  });

  it('is killed when it does not listen to TERM', async () => {
    const bench = await createBench();
    const running = shell(bench, `trap '' TERM; ${STARTED}; sleep 999; sleep 999`);
    await fileWithLines(join(bench.folder, 'started.txt'), 1);
    bench.temporal.cancel('CANCELLED');
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    expect(await taggedProcesses(bench)).toEqual([]);
  });

  it('may clean up when it is asked to end', async () => {
    const bench = await createBench();
    const running = shell(bench, `trap 'echo cleaned up; exit 0' TERM; ${STARTED}; sleep 999 & wait`);
    await fileWithLines(join(bench.folder, 'started.txt'), 1);
    bench.temporal.cancel('CANCELLED');
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    expect((await readLog(bench)).map(({ text }) => text)).toContain('cleaned up\n');
  });
});

describe('the end of a command', () => {
  it('is not held up by a grandchild that keeps the pipe, and that is killed', async () => {
    const bench = await createBench();
    expect(await shell(bench, '(trap "" TERM HUP; sleep 999) & echo done')).toMatchObject({ output: { value: 'done' } });
    expect(await taggedProcesses(bench)).toEqual([]);
  });

  it('comes at its time limit, as a failure of that name', async () => {
    const bench = await createBench();
    await expect(failureOf(shell(bench, 'sleep 999 & sleep 999', { timeout_ms: 300 }))).resolves.toMatchObject({ type: 'timeout', nonRetryable: true, message: expect.stringContaining('0.3 s') });
    expect(await taggedProcesses(bench)).toEqual([]);
  });

  it('by a shutdown of the worker is something that Temporal starts again', async () => {
    const bench = await createBench();
    const running = shell(bench, `${STARTED}; sleep 999`);
    await fileWithLines(join(bench.folder, 'started.txt'), 1);
    bench.temporal.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    await expect(failureOf(running)).resolves.toMatchObject({ type: 'worker-lost', nonRetryable: false });
    expect(await taggedProcesses(bench)).toEqual([]);
  });
});

it('heartbeats as long as it runs, with how much it has written', async () => {
  const bench = await createBench();
  const second = new Promise((resolve) => {
    let beats = 0;
    bench.temporal.on('heartbeat', (details) => {
      beats += 1;
      if (beats === 2) resolve(details);
    });
  });
  const running = shell(bench, 'echo hello; sleep 999');
  expect(await second).toEqual({ bytes: 6 });
  bench.temporal.cancel('CANCELLED');
  await expect(running).rejects.toBeInstanceOf(CancelledFailure);
});

it('a namespace takes a command with it when its worker is killed', async () => {
  const wrapper = await wrapperOnce();
  if (wrapper.length === 0) return; // This machine allows none: the reaper has its own test.
  const bench = await createBench();
  const started = join(bench.folder, 'started.txt');
  const script = `const [p, ...a] = JSON.parse(process.argv[1]); require('node:child_process').spawn(p, a, { detached: true, stdio: 'ignore' }); setInterval(() => {}, 1000)`;
  const argv = [...wrapper, '/bin/sh', '-c', `sleep 999 & setsid sleep 999 & echo x >> ${started}; sleep 999`];
  const worker = spawn(process.execPath, ['-e', script, JSON.stringify(argv)], { env: { PATH: process.env['PATH'] ?? '', PERDURE_RUN_TAG: `${bench.store.id}:1:run` }, stdio: 'ignore' });
  await fileWithLines(started, 1);
  const pids = await taggedProcesses(bench);
  expect(pids.length).toBeGreaterThanOrEqual(4);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await expect.poll(async () => taggedProcesses(bench), { timeout: 5_000 }).toEqual([]);
});
