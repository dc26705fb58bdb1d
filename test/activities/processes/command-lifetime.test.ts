import { join } from 'node:path';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { listTagged } from '../../../src/activities/processes/tagged-processes.js';
import type { Bench } from '../helpers/harness.js';
import { createBench, failureOf, readLog, shell } from '../helpers/harness.js';
import { fileWithLines } from '../helpers/processes.js';

/** Pids of everything of this test's commands. */
async function taggedProcesses(bench: Bench): Promise<number[]> {
  return (await listTagged()).filter(({ tag }) => tag.store === bench.store.id).map(({ pid }) => pid);
}

const STARTED = 'echo started >> started.txt';
/** Starts something that has left the process group for certain when the next command of the script begins. */
const escape = (redirection = ''): string =>
  `setsid sh -c 'echo gone > gone.txt; exec sleep 999' ${redirection} & until [ -s gone.txt ]; do sleep 0.01; done`;

describe('a cancelled command', () => {
  it('leaves nothing of its process tree alive, and the cancellation is rethrown', async () => {
    const bench = await createBench();
    const running = shell(bench, `sleep 999 & ${escape()}; ${STARTED}; sleep 999`);
    await fileWithLines(join(bench.folder, 'started.txt'), 1);
    bench.temporal.cancel('CANCELLED');
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
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
    expect(await shell(bench, '(trap "" TERM HUP; sleep 999) & echo done')).toMatchObject({
      output: { value: 'done' },
    });
    expect(await taggedProcesses(bench)).toEqual([]);
  });

  it('is not held up by what left the process group and keeps the pipe, and that is killed', async () => {
    const bench = await createBench();
    expect(await shell(bench, `${escape()}; echo done`)).toMatchObject({ output: { value: 'done' } });
    expect(await taggedProcesses(bench)).toEqual([]);
  });

  it('is soon the end of what left the process group in silence, but of no command that goes on', async () => {
    const bench = await createBench();
    const other = shell(bench, `${STARTED}; sleep 999`);
    await fileWithLines(join(bench.folder, 'started.txt'), 1);
    const numbers = async (): Promise<number[]> => [
      ...new Set((await listTagged()).filter(({ tag }) => tag.store === bench.store.id).map(({ tag }) => tag.command)),
    ];
    const [first] = await numbers();
    await shell(bench, escape('> /dev/null 2>&1'));
    // Whatever the other command has started by now is its own, and stays.
    await expect.poll(numbers).toEqual([first]);
    bench.temporal.cancel('CANCELLED');
    await expect(other).rejects.toBeInstanceOf(CancelledFailure);
  });

  it('comes at its time limit, as a failure of that name', async () => {
    const bench = await createBench();
    await expect(
      failureOf(shell(bench, `sleep 999 & ${escape()}; sleep 999`, { timeout_ms: 1_000 })),
    ).resolves.toMatchObject({ type: 'timeout', nonRetryable: true, message: expect.stringContaining('1 s') });
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

it('heartbeats as long as it runs, with how much it has written, and never to say nothing', async () => {
  const bench = await createBench();
  const beats: unknown[] = [];
  const second = new Promise<void>((resolve) => {
    bench.temporal.on('heartbeat', (details) => {
      beats.push(details);
      if (beats.length === 2) resolve();
    });
  });
  const running = shell(bench, 'echo hello; sleep 999');
  await second;
  expect(beats[0]).toBeDefined();
  expect(beats[1]).toEqual({ bytes: 6 });
  bench.temporal.cancel('CANCELLED');
  await expect(running).rejects.toBeInstanceOf(CancelledFailure);
});
