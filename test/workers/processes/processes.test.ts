// @module-tag python3
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { identify, isRunning } from '../../../src/workers/processes/processes.js';
import { waitFor } from '../helpers/setting.js';

/** Its first thread ends, another one stays. */
const PROGRAM = `
import ctypes, threading
threading.Thread(target=threading.Event().wait).start()
print('begun', flush=True)
ctypes.CDLL(None).pthread_exit(0)
`;

it('a process runs, and holds what it holds, until the last of its threads has ended', async () => {
  const child = spawn('python3', ['-c', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const pid = child.pid ?? 0;
  await new Promise((begun) => child.stdout.once('data', begun));
  const identity = await identify(pid);
  await waitFor('the end of its first thread', () => /\) Z /.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8')));
  expect(identity !== null && (await isRunning(identity))).toBe(true);
  child.kill('SIGKILL');
  await waitFor('its end', async () => identity !== null && !(await isRunning(identity)));
});
