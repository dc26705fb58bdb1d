import { readFile, readdir, readlink, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announceCommand } from '../../../src/activities/processes/announced-commands.js';
import type { ProcessOptions } from '../../../src/activities/processes/groups/process-group.js';
import { runProcess } from '../../../src/activities/processes/groups/process-group.js';
import { RUN_TAG, runTag } from '../../../src/activities/processes/tagged-processes.js';
import { temporaryFolder } from '../helpers/harness.js';
import { isLaunched, launcherPid, withLauncher } from '../helpers/launched.js';
import { fileWithLines, isAlive } from '../helpers/processes.js';

const PATH = process.env['PATH'] ?? '';
let leave: () => void;
beforeAll(async () => {
  leave = await withLauncher();
});
afterAll(() => leave());

/** Runs a program as a command's activity does, and gathers what it writes. */
async function run(
  file: string,
  args: string[],
  options: Partial<ProcessOptions> = {},
): Promise<{ code: number | null; signal: string | null; out: string; err: string }> {
  const command = announceCommand();
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const env = {
    PATH,
    [RUN_TAG]: runTag({ store: 'launched', worker: process.pid, command: command.number, run: 'r' }),
  };
  try {
    const end = await runProcess({
      file,
      args,
      cwd: '/',
      env,
      stdin: null,
      signal: new AbortController().signal,
      killRest: command.killRest,
      onStdout: (chunk) => out.push(chunk),
      onStderr: (chunk) => err.push(chunk),
      ...options,
    });
    return { ...end, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
  } finally {
    command.release();
  }
}

/** What this process holds open. */
async function openFiles(): Promise<string[]> {
  return Promise.all(
    (await readdir('/proc/self/fd')).map(async (file) => readlink(`/proc/self/fd/${file}`).catch(() => '')),
  );
}

const shell = (script: string, options?: Partial<ProcessOptions>): ReturnType<typeof run> =>
  run('/bin/sh', ['-c', script], options);

describe('a program that the launcher starts', () => {
  it('tells its exit code, and each of its streams by itself', async () => {
    expect(await isLaunched()).toBe(true);
    expect(await shell('echo out; echo err >&2; exit 3')).toEqual({
      code: 3,
      signal: null,
      out: 'out\n',
      err: 'err\n',
    });
  });

  it('tells the signal that ended it', async () => {
    expect(await shell('kill -SEGV $$')).toMatchObject({ code: null, signal: 'SIGSEGV' });
  });

  it('loses nothing of what it writes, however soon it ends', async () => {
    for (let round = 0; round < 100; round += 1) {
      const { out } = await shell('seq 30000');
      expect(out.length).toBe(168_894);
    }
  });

  it('is one of many that run at once', async () => {
    const ends = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => shell(`echo ${index}; exit ${index}`)),
    );
    expect(ends).toEqual(ends.map((_, index) => ({ code: index, signal: null, out: `${index}\n`, err: '' })));
  });

  it('sees no more of the worker than its environment and its folder', async () => {
    const folder = await temporaryFolder();
    const { out } = await run('/bin/sh', ['-c', 'pwd; env'], { cwd: folder, env: { PATH, MINE: 'yes' } });
    const lines = out.split('\n');
    expect(lines[0]).toBe(folder);
    expect(
      lines
        .filter((line) => /^[A-Z_]+=/.test(line))
        .map((line) => line.split('=')[0])
        .filter((name) => name !== 'PWD' && name !== '_')
        .sort(),
    ).toEqual(['MINE', 'PATH']);
  });

  it('has no other open file than one that the worker starts by itself', async () => {
    const launched = await shell('ls /proc/self/fd');
    const here = await shell('ls /proc/self/fd', { stdin: '' });
    expect(launched).toEqual(here);
  });

  it.each([
    { what: 'no such program', file: '/nowhere/at-all', args: [], told: { type: 'command-not-found' } },
    { what: 'a file that is no program', file: '/etc/passwd', args: [], told: { code: 'EACCES' } },
    { what: 'arguments that are too long', file: '/bin/true', args: ['x'.repeat(3_000_000)], told: { code: 'E2BIG' } },
  ])('is refused as `spawn` refuses it: $what', async ({ file, args, told }) => {
    await expect(run(file, args)).rejects.toMatchObject(told);
  });

  it('leaves no connection open, whether it ran or was refused', async () => {
    const sockets = async (): Promise<number> =>
      (await openFiles()).filter((target) => target.startsWith('socket:')).length;
    const before = await sockets();
    for (let round = 0; round < 20; round += 1) {
      await shell('echo out');
      await run('/nowhere/at-all', []).catch(() => undefined);
    }
    await expect.poll(sockets).toBeLessThanOrEqual(before);
  });

  it('is not alive any more where it was aborted before it had started', async () => {
    const folder = await temporaryFolder();
    const controller = new AbortController();
    const running = shell('echo $$ >> pids; exec sleep 999', { cwd: folder, signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ code: null });
    for (const pid of (await fileWithLines(join(folder, 'pids'), 0)).map(Number))
      expect(await isAlive(pid)).toBe(false);
  });
});

describe('a launcher that is killed', () => {
  it('takes with it what it has started, which Temporal starts again; the next has another launcher', async () => {
    const folder = await temporaryFolder();
    const running = shell('(setsid sh -c "echo \\$\\$ >> pids; exec sleep 999" &); echo $$ >> pids; exec sleep 999', {
      cwd: folder,
    });
    const pids = (await fileWithLines(join(folder, 'pids'), 2)).map(Number);
    const killed = await launcherPid();
    process.kill(killed ?? 0, 'SIGKILL');
    await expect(running).rejects.toMatchObject({ type: 'worker-lost', nonRetryable: false });
    await expect.poll(async () => Promise.all(pids.map(isAlive))).toEqual([false, false]);
    expect(await shell('echo at once')).toMatchObject({ code: 0, out: 'at once\n' });
    await expect.poll(isLaunched).toBe(true);
    expect(await launcherPid()).not.toBe(killed);
  });
});

/** Where this process listens for what its launcher's programs write. */
async function ownAddress(): Promise<string> {
  const own = new Set(await openFiles());
  const lines = (await readFile('/proc/net/unix', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const found = lines.find(
    ([, , , , , , inode, path]) => own.has(`socket:[${inode}]`) && path?.includes('perdure-launcher-') === true,
  );
  return found?.[7] ?? '';
}

it('a program is started without the launcher where somebody has tidied up its socket', async () => {
  const address = await ownAddress();
  await rename(address, `${address}.away`);
  try {
    expect(await shell('echo $PPID')).toMatchObject({ code: 0, out: `${process.pid}\n` });
  } finally {
    await rename(`${address}.away`, address);
  }
  expect(await isLaunched()).toBe(true);
});

it('a launcher that is left ends, and its folder goes with it', async () => {
  const folder = dirname(await ownAddress());
  expect(await readdir(folder)).toEqual(['output']);
  const pid = (await launcherPid()) ?? 0;
  leave();
  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await isLaunched()).toBe(false);
});
