import { execFileSync } from 'node:child_process';
import { closeSync, copyFileSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProcess } from '../../../src/activities/processes/groups/process-group.js';
import { temporaryFolder } from '../helpers/harness.js';
import { isLaunched, withLauncher } from '../helpers/launched.js';
import { fileWithLines, isAlive } from '../helpers/processes.js';

/** A shell in a process group; what it starts writes its pid to `pids`. */
async function start(
  script: string,
  stdin: string | null = null,
): Promise<{ ended: ReturnType<typeof runProcess>; abort: () => void; pids: Promise<number[]>; out: Buffer[] }> {
  const cwd = await temporaryFolder();
  const controller = new AbortController();
  const out: Buffer[] = [];
  const ended = runProcess({
    file: '/bin/sh',
    args: ['-c', script],
    cwd,
    env: { PATH: process.env['PATH'] ?? '' },
    stdin,
    signal: controller.signal,
    killRest: async () => undefined,
    onStdout: (chunk) => out.push(chunk),
    onStderr: () => undefined,
  });
  ended.catch(() => undefined); // looked at by the test
  const pids = fileWithLines(join(cwd, 'pids'), 2).then((lines) => lines.map(Number));
  return { ended, abort: () => controller.abort(), pids, out };
}

const SLEEP = "sh -c 'echo $$ >> pids; exec sleep 999'";

describe.each(['this process', 'the launcher'])('a process group that %s starts', (starter) => {
  let leave = (): void => undefined;
  beforeAll(async () => {
    if (starter === 'the launcher') leave = await withLauncher();
  });
  afterAll(() => leave());

  it('has that parent', async () => {
    expect(await isLaunched()).toBe(starter === 'the launcher');
  });

  it('is gone as a whole when it is aborted', async () => {
    const { ended, abort, pids } = await start(`${SLEEP} & ${SLEEP}`);
    const started = await pids;
    expect(await Promise.all(started.map(isAlive))).toEqual([true, true]);
    abort();
    await ended;
    await expect.poll(async () => Promise.all(started.map(isAlive))).toEqual([false, false]);
  });

  it('is gone as a whole when its first process ends, and nobody waits for its pipes', async () => {
    const { ended, pids, out } = await start(
      `${SLEEP} & ${SLEEP} & while [ "$(wc -l < pids)" != 2 ]; do sleep 0.01; done 2>/dev/null; echo done`,
    );
    expect(await ended).toMatchObject({ code: 0 });
    expect(Buffer.concat(out).toString()).toBe('done\n');
    const started = await pids;
    await expect.poll(async () => Promise.all(started.map(isAlive))).toEqual([false, false]);
  });

  it('may clean up when it is aborted, and is killed where it does not listen', async () => {
    const { ended, abort, pids, out } = await start(
      `trap 'echo cleaned up; exit 4' TERM; (trap '' TERM; echo $$ >> pids; echo $$ >> pids; exec sleep 999) & wait`,
    );
    const started = await pids;
    abort();
    expect(await ended).toEqual({ code: 4, signal: null });
    expect(Buffer.concat(out).toString()).toBe('cleaned up\n');
    await expect.poll(async () => Promise.all(started.map(isAlive))).toEqual([false, false]);
  });

  it('ends with the exit code of its first process, and gets what is written to it', async () => {
    const { ended, out } = await start('cat; exit 7', 'x'.repeat(300_000));
    expect(await ended).toEqual({ code: 7, signal: null });
    expect(Buffer.concat(out).length).toBe(300_000);
  });
});

describe('a program that was found, and cannot be started,', () => {
  const run = (file: string, cwd: string) =>
    runProcess({
      file,
      args: [],
      cwd,
      env: {},
      stdin: null,
      signal: new AbortController().signal,
      killRest: async () => undefined,
      onStdout: () => undefined,
      onStderr: () => undefined,
    });

  it('tells whether it is gone, its folder is, or what its first line names', async () => {
    const folder = await temporaryFolder();
    const script = join(folder, 'script');
    writeFileSync(script, '#!/no/such/interpreter\n', { mode: 0o755 });
    for (const [file, cwd, told] of [
      [script, folder, `\`${script}\` is there, but not what starts it`],
      [join(folder, 'gone'), folder, 'gone` is not there any more'],
      ['/bin/true', join(folder, 'left'), 'left` is not there any more'],
    ] as const)
      await expect(run(file, cwd)).rejects.toMatchObject({
        type: 'command-not-found',
        message: expect.stringContaining(told) as string,
      });
  });

  it('is waited for while somebody writes it, as who installs another version does', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'program');
    copyFileSync('/bin/true', file);
    const writer = openSync(file, 'r+');
    expect(() => execFileSync(file)).toThrow('ETXTBSY');
    const ended = run(file, folder); // begins to start it at once
    closeSync(writer);
    expect(await ended).toMatchObject({ code: 0 });
  });
});

it('nothing is started once it was aborted', async () => {
  await expect(
    runProcess({
      file: '/bin/false',
      args: [],
      cwd: '/',
      env: {},
      stdin: null,
      signal: AbortSignal.abort(),
      killRest: async () => undefined,
      onStdout: () => undefined,
      onStderr: () => undefined,
    }),
  ).rejects.toThrow();
});
