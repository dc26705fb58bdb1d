import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProcess } from '../../src/activities/process-group.js';
import { wrapperOnce } from '../../src/activities/process-namespace.js';
import { temporaryFolder } from './harness.js';
import { fileWithLines, isAlive } from './processes.js';

/** A shell in a process group; it writes the pids of what it starts to `pids`, as the system outside sees them. */
async function start(script: string, wrapper: string[], stdin: string | null = null): Promise<{ ended: ReturnType<typeof runProcess>; abort: () => void; pids: Promise<number[]>; out: Buffer[] }> {
  const cwd = await temporaryFolder();
  const controller = new AbortController();
  const out: Buffer[] = [];
  const ended = runProcess({
    wrapper, file: '/bin/sh', args: ['-c', script], cwd, env: { PATH: process.env['PATH'] ?? '' }, stdin, signal: controller.signal,
    onStdout: (chunk) => out.push(chunk), onStderr: () => undefined,
  });
  ended.catch(() => undefined); // looked at by the test
  const pids = fileWithLines(join(cwd, 'pids'), 2).then((lines) => lines.map(Number));
  return { ended, abort: () => controller.abort(), pids, out };
}

// `/proc/self` names a process as the system outside of a namespace does.
const SLEEP = 'sh -c \'read pid rest < /proc/self/stat; echo $pid >> pids; exec sleep 999\'';

describe.each([['with nothing before it', () => Promise.resolve<string[]>([])], ['in a namespace where the system allows one', wrapperOnce]])('a process group %s', (_how, findWrapper) => {
  it('is gone as a whole when it is aborted', async () => {
    const { ended, abort, pids } = await start(`${SLEEP} & ${SLEEP}`, await findWrapper());
    const started = await pids;
    expect(await Promise.all(started.map(isAlive))).toEqual([true, true]);
    abort();
    await ended;
    await expect.poll(async () => Promise.all(started.map(isAlive))).toEqual([false, false]);
  });

  it('is gone as a whole when its first process ends, and nobody waits for its pipes', async () => {
    const { ended, pids, out } = await start(`${SLEEP} & ${SLEEP} & while [ "$(wc -l < pids)" != 2 ]; do sleep 0.01; done 2>/dev/null; echo done`, await findWrapper());
    expect(await ended).toMatchObject({ code: 0 });
    expect(Buffer.concat(out).toString()).toBe('done\n');
    const started = await pids;
    await expect.poll(async () => Promise.all(started.map(isAlive))).toEqual([false, false]);
  });

  it('ends with the exit code of its first process, and gets what is written to it', async () => {
    const { ended, out } = await start('cat; exit 7', await findWrapper(), 'x'.repeat(300_000));
    expect(await ended).toEqual({ code: 7, signal: null });
    expect(Buffer.concat(out).length).toBe(300_000);
  });
});

it('nothing is started once it was aborted', async () => {

  await expect(runProcess({ wrapper: [], file: '/bin/false', args: [], cwd: '/', env: {}, stdin: null, signal: AbortSignal.abort(), onStdout: () => undefined, onStderr: () => undefined })).rejects.toThrow();
});
