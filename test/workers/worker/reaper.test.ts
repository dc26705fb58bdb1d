import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { listTagged, parseRunTag, RUN_TAG, runTag } from '../../../src/activities/processes/tagged-processes.js';
import { startOf } from '../../../src/workers/processes/processes.js';
import { reapOrphans } from '../../../src/workers/worker/reaper.js';
import { endWithEachTest, spawnNode, waitFor } from '../helpers/setting.js';

endWithEachTest();

/** A pid that belongs to nobody any more. */
async function deadPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid ?? 0;
}

/** A shell with a grandchild that ignores what it can, as a killed worker's command would leave it. */
async function command(store: string, worker: number): Promise<number> {
  const code =
    "require('child_process').spawn('sleep', ['600']); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  const { pid = 0 } = spawnNode(['-e', code], { [RUN_TAG]: runTag({ store, worker, command: 1, run: 'r-1' }) });
  await waitFor('its child', async () => (await tagged(store)).length === 2);
  return pid;
}

async function tagged(store: string): Promise<number[]> {
  return (await listTagged()).filter(({ tag }) => tag.store === store).map(({ pid }) => pid);
}

describe('the reaper', () => {
  it('kills everything that commands of a dead worker left, at any depth', async () => {
    const store = `dead-${String(process.pid)}`;
    const pid = await command(store, await deadPid());
    expect(await reapOrphans(store)).toContain(pid);
    await waitFor('their end', async () => (await tagged(store)).length === 0);
    expect(await startOf(pid)).toBeNull();
  });

  it('leaves commands of a living worker, and of other stores, alone', async () => {
    const store = `live-${String(process.pid)}`;
    // The parent of this test is a living process that is older than the command.
    const pid = await command(store, process.ppid);
    expect(await reapOrphans(store)).toEqual([]);
    expect(await reapOrphans(`${store}-other`)).toEqual([]);
    expect(await startOf(pid)).not.toBeNull();
  });

  it('is not fooled by a process that got the pid of the dead worker', async () => {
    const store = `reused-${String(process.pid)}`;
    // The shell becomes the command only when it is told its tag, but it is older than the process that it names.
    const shell = spawn('sh', ['-c', `read worker; exec env ${RUN_TAG}=${store}:$worker:1:r sleep 600`], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await waitFor('the shell', async () => startOf(shell.pid ?? 0));
    const younger = await waitFor('a younger process', async () => {
      const { pid = 0 } = spawnNode(['-e', 'setInterval(() => {}, 1000)']);
      return Number(await startOf(pid)) > Number(await startOf(shell.pid ?? 0)) && pid;
    });
    shell.stdin.end(`${String(younger)}\n`);
    await waitFor('the command', async () => (await tagged(store)).length === 1);
    expect(await reapOrphans(store)).toEqual([shell.pid]);
  });
});

describe('a run tag', () => {
  it.each([
    ['store:12:3:run-1', { store: 'store', worker: 12, command: 3, run: 'run-1' }],
    ['store:12:3:run:with:colons', { store: 'store', worker: 12, command: 3, run: 'run:with:colons' }],
    ['store:12:run', null],
    ['store:x:3:run', null],
    ['store', null],
    ['', null],
  ])('`%s` is read', (text, tag) => {
    expect(parseRunTag(text)).toEqual(tag);
    if (tag !== null) expect(runTag(tag)).toBe(text);
  });
});
