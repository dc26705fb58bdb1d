import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { listTagged, RUN_TAG } from '../../../src/activities/processes/tagged-processes.js';
import { packageRoot } from '../../../src/store/folders/package-root.js';
import { listProcesses, startOf } from '../../../src/workers/processes/processes.js';
import { endWithEachTest, kill, newFolder, spawnNode, waitFor } from '../helpers/setting.js';

endWithEachTest();

/** Pids of all that commands of this store have started. */
async function tagged(store: string): Promise<number[]> {
  return (await listTagged()).filter(({ tag }) => tag.store === store).map(({ pid }) => pid);
}

/**
 * A process that does what a worker does: starts a watchdog, then runs a command with the real code, where asked with
 * its launcher. Gives its pid.
 */
async function worker(store: string, script: string, launcher?: string): Promise<number> {
  const outfile = join(newFolder(), 'worker.mjs');
  const contents = `
    import { runProcess } from './src/activities/processes/groups/process-group.ts';
    import { useLauncher } from './src/activities/processes/groups/start-process.ts';
    import { runTag } from './src/activities/processes/tagged-processes.ts';
    import { startWatchdog } from './src/workers/worker/watchdog.ts';
    const [store, script, program] = process.argv.slice(2);
    await startWatchdog(store, console.error);
    const tag = runTag({ store, worker: process.pid, command: 1000, run: 'run' });
    const env = { PATH: process.env.PATH, PERDURE_RUN_TAG: tag };
    const { signal } = new AbortController();
    const shell = async (script) => {
      let said = '';
      const args = ['-c', script];
      const heard = { onStdout(chunk) { said += chunk; }, onStderr() {}, async killRest() {} };
      await runProcess({ file: '/bin/sh', args, cwd: '/', env, stdin: null, signal, ...heard });
      return Number(said);
    };
    if (program) {
      useLauncher({ program, store });
      while ((await shell('echo $PPID')) === process.pid);
    }
    await shell(script);`;
  await build({
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Packages in CommonJS look for Node's modules at run time.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    outfile,
    logLevel: 'error',
  });
  const { pid } = spawnNode([outfile, store, script, ...(launcher === undefined ? [] : [launcher])]);
  if (pid === undefined) throw new Error('the worker did not start');
  return pid;
}

const LAUNCHER = join(packageRoot(), 'dist', 'activities', 'processes', 'launcher', 'main.js');
const TREE = 'sleep 999 & setsid sleep 999 & sleep 999';

describe('the watchdog', () => {
  it('kills all that a command has started when its worker is killed', async () => {
    const store = `watched-${process.pid}`;
    const pid = await worker(store, TREE);
    await waitFor('the command', async () => (await tagged(store)).length === 4);
    kill(pid);
    await waitFor('its end', async () => (await tagged(store)).length === 0);
  });

  it('does so and for the process that has started it', async () => {
    const store = `launched-${process.pid}`;
    const pid = await worker(store, TREE, LAUNCHER);
    await waitFor('the launcher and its command', async () => (await tagged(store)).length === 5);
    kill(pid);
    await waitFor('their end', async () => (await tagged(store)).length === 0);
  });

  it('does so for a command that makes new processes all the time', async () => {
    const store = `forks-${process.pid}`;
    const pid = await worker(store, 'while :; do setsid sleep 0.2 & sleep 0.01; done');
    await waitFor('the command', async () => (await tagged(store)).length > 4);
    kill(pid);
    await waitFor('its end', async () => (await tagged(store)).length === 0);
  });

  it('does so when the worker ends by itself and leaves something, and then ends', async () => {
    const store = `left-${process.pid}`;
    const go = join(newFolder(), 'go');
    const pid = await worker(store, `setsid sleep 999 > /dev/null 2>&1 & until [ -e ${go} ]; do sleep 0.01; done`);
    await waitFor('what it leaves', async () => (await tagged(store)).length >= 2);
    const watchdogs = async (): Promise<number> =>
      (await listProcesses()).filter(({ argv }) => argv.includes(`${RUN_TAG}=${store}:${pid}:`)).length;
    expect(await watchdogs()).toBe(1);
    writeFileSync(go, '');
    await waitFor('its end', async () => (await tagged(store)).length === 0);
    await waitFor('the end of the watchdog', async () => (await watchdogs()) === 0);
    expect(await startOf(pid)).toBeNull();
  });

  it('leaves what other workers of the store run alone', async () => {
    const store = `two-${process.pid}`;
    const [first, second] = [await worker(store, TREE), await worker(store, TREE)];
    await waitFor('both commands', async () => (await tagged(store)).length === 8);
    kill(first);
    await waitFor('the end of one', async () => (await tagged(store)).length <= 4);
    expect((await listTagged()).filter(({ tag }) => tag.store === store).map(({ tag }) => tag.worker)).toEqual([
      second,
      second,
      second,
      second,
    ]);
    kill(second);
    await waitFor('the end of the other', async () => (await tagged(store)).length === 0);
  });
});
