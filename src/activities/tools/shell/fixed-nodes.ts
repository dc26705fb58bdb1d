import { systemProgram } from '../../../store/processes/find-on-path.js';
import { runProgram } from '../../../store/processes/run-program.js';

/** Devices that every sandbox shows are the machine's own. */
const NODES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/** Words before a program by which the nodes of devices are read-only to it, and what is written there is not. */
export type FixedNodes = string[];

let found: Promise<FixedNodes> | null = null;

/**
 * Words before `bwrap` where we are root: an agent's program is the owner of the devices then, and would take
 * `/dev/null` from everybody else on the machine. None for another user, whom they do not belong to.
 */
export function fixedNodes(): Promise<FixedNodes> {
  return (found ??= look());
}

async function look(): Promise<FixedNodes> {
  // Never the PATH of the program that is started.
  const [unshare, mount] = [systemProgram('unshare'), systemProgram('mount')];
  if (process.getuid?.() !== 0 || unshare === null || mount === null) return [];
  const fix = `for node in ${NODES.join(' ')}; do ${mount} --bind -o ro,nosuid,noexec /dev/$node /dev/$node; done`;
  const words = [unshare, '--mount', '--', '/bin/sh', '-c', `${fix} 2>/dev/null; exec "$@"`, 'sh'];
  const { failed } = await runProgram(unshare, [...words.slice(1), '/bin/true'], { env: { PATH: '/usr/bin:/bin' } });
  return failed ? [] : words;
}
