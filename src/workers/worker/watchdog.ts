import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { RUN_TAG } from '../../activities/processes/tagged-processes.js';
import { startOf } from '../processes/processes.js';

/**
 * Waits for the end of its input, then kills, round after round, all that carries the tag `$1`. The pipe's other end is
 * closed where a process becomes another program: a command that is just being started holds the end back until it
 * carries its tag. `$2` and `$3` are the worker's pid and start: as soon as another process has that pid, the tag may
 * be that one's, and what is still left is for the reaper. (GNU `grep` fails when it may not read one of the files,
 * also if another has what is sought: its output tells, not its status.)
 */
const SCRIPT = `
tag=$1 pid=$2 started=$3
trap '' HUP INT TERM
while read -r _; do :; done
while files=$(grep -lsF -e "$tag" /proc/[0-9]*/environ); [ -n "$files" ]; do
  stat=
  read -r stat <"/proc/$pid/stat"
  set -- \${stat##*) }
  [ -z "\${20}" ] || [ "\${20}" = "$started" ] || exit
  for file in $files; do process=\${file%/environ}; kill -9 "\${process#/proc/}"; done
  sleep 0.05 || sleep 1
done 2>/dev/null
`;

/** A process beside a worker that survives it. */
export interface Watchdog {
  /** To be called when the worker has ended and this process goes on: what its commands left is killed now. */
  release(): void;
}

/**
 * Sees to it that nothing of a command outlives this process by more than moments, however that ends: starts one
 * small process in a session of its own that notices, and kills what carries our tag. Where it cannot be started the
 * reaper of the next worker does that. Does nothing where the system has no `/proc`.
 */
export async function startWatchdog(storeId: string, log: (line: string) => void): Promise<Watchdog> {
  const started = await startOf(process.pid);
  if (process.platform !== 'linux' || started === null) return { release: () => undefined };
  const args = [`${RUN_TAG}=${storeId}:${process.pid}:`, String(process.pid), started];
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'perdure-watchdog', ...args], {
    cwd: '/',
    // Nothing of ours: it must not carry the tag itself, and needs no secret (I13).
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.once('error', (error) => log(`no watchdog: ${error.message}`));
  child.stdin.on('error', () => undefined); // It was killed; the reaper remains.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return { release: () => child.stdin.end() };
}
