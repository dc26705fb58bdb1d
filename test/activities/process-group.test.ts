import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProcess } from '../../src/activities/process-group.js';
import { temporaryFolder } from './harness.js';
import { fileWithLines, isAlive } from './processes.js';

/** A shell in a process group; what it starts writes its pid to `pids`. */
async function start(script: string, stdin: string | null = null): Promise<{ ended: ReturnType<typeof runProcess>; abort: () => void; pids: Promise<number[]>; out: Buffer[] }> {
  const cwd = await temporaryFolder();
  const controller = new AbortController();
  const out: Buffer[] = [];
  const ended = runProcess({
    file: '/bin/sh', args: ['-c', script], cwd, env: { PATH: process.env['PATH'] ?? '' }, stdin, signal: controller.signal, killRest: async () => undefined,
    onStdout: (chunk) => out.push(chunk), onStderr: () => undefined,
  });
  ended.catch(() => undefined); // looked at by the test
  const pids = fileWithLines(join(cwd, 'pids'), 2).then((lines) => lines.map(Number));
  return { ended, abort: () => controller.abort(), pids, out };
}

const SLEEP = 'sh -c \'echo $$ >> pids; exec sleep 999\'';

describe('a process group', () => {
  it('is gone as a whole when it is aborted', async () => {
    const { ended, abort, pids } = await start(`${SLEEP} & ${SLEEP}`);
    const started = await pids;
    expect(await Promise.all(started.map(isAlive))).toEqual([true, true]);
    abort();
    await ended;
    await expect.poll(async () => Promise.all(started.map(isAlive))).toEqual([false, false]);
  });

  it('is gone as a whole when its first process ends, and nobody waits for its pipes', async () => {
    const { ended, pids, out } = await start(`${SLEEP} & ${SLEEP} & while [ "$(wc -l < pids)" != 2 ]; do sleep 0.01; done 2>/dev/null; echo done`);
    expect(await ended).toMatchObject({ code: 0 });
    expect(Buffer.concat(out).toString()).toBe('done\n');
    const started = await pids;
    await expect.poll(async () => Promise.all(started.map(isAlive))).toEqual([false, false]);
  });

  it('ends with the exit code of its first process, and gets what is written to it', async () => {
    const { ended, out } = await start('cat; exit 7', 'x'.repeat(300_000));
    expect(await ended).toEqual({ code: 7, signal: null });
    expect(Buffer.concat(out).length).toBe(300_000);
  });
});

it('nothing is started once it was aborted', async () => {
  await expect(runProcess({ file: '/bin/false', args: [], cwd: '/', env: {}, stdin: null, signal: AbortSignal.abort(), killRest: async () => undefined, onStdout: () => undefined, onStderr: () => undefined })).rejects.toThrow();
});
