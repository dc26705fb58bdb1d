import { spawn } from 'node:child_process';
import { findOnPath } from './executable.js';

/**
 * What is put before a command so that nothing of it outlives a worker that is killed (F30): when the worker dies the
 * kernel kills `unshare`, that kills the first process of the namespace, and with it goes every other in there.
 * `timeout 0` sets no limit: it is that first process, because to be it changes what signals do to a program.
 * No user namespace for root, who needs none; others keep their own user id in it.
 */
async function findWrapper(): Promise<string[]> {
  const path = process.env['PATH'] ?? '';
  const [setpriv, unshare, timeout] = await Promise.all(['setpriv', 'unshare', 'timeout'].map((name) => findOnPath(name, path)));
  if (process.platform !== 'linux' || !setpriv || !unshare || !timeout) return [];
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user'];
  const wrapper = [setpriv, '--pdeathsig', 'KILL', unshare, ...user, '--pid', '--fork', '--kill-child=KILL', timeout, '--foreground', '0'];
  return (await exitsWell([...wrapper, timeout, '--version'])) ? wrapper : [];
}

/** Containers often forbid namespaces: whether it works is tried, not guessed. */
function exitsWell([program = '', ...args]: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', timeout: 5_000 });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

let wrapper: Promise<string[]> | null = null;

/** The words to put before a command, found once in a worker's life; none where the system does not allow it. */
export function wrapperOnce(): Promise<string[]> {
  wrapper ??= findWrapper();
  return wrapper;
}
