import { cp } from 'node:fs/promises';
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bareSandbox } from '../processes/bare-sandbox.js';
import { runProgram } from '../processes/run-program.js';
import { sandboxProgram } from './enclosure.js';

const TIMEOUT_MS = 10 * 60_000;

/**
 * Copies the folder at a path of one folder to the same path of another. Agents may be at work in either: a sandbox
 * shows both and nothing else, so no link that one puts in the way leads out of them.
 */
export async function copyFolder(path: string, from: string, to: string): Promise<void> {
  if (!isFolder(join(from, path))) return;
  const [source, target] = [realpathSync(from), realpathSync(to)];
  const [at, into] = [join(source, path), join(target, path)];
  const bwrap = sandboxProgram();
  if (bwrap !== null) {
    const shown = ['--tmpfs', '/tmp', '--ro-bind', source, source, '--bind', target, target, '--chdir', target];
    const copying = ['/bin/sh', '-c', 'mkdir -p -- "$2" && cp -a --reflink=auto -T -- "$1" "$3"', 'sh'];
    const words = [
      ...bareSandbox({ network: false }),
      ...rights(),
      ...shown,
      '--',
      ...copying,
      at,
      dirname(into),
      into,
    ];
    const ended = await runProgram(bwrap, words, { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, timeout: TIMEOUT_MS });
    if (!ended.failed) return;
    if (!ended.stderr.startsWith('bwrap: ')) throw new Error(`\`${path}\` could not be copied: ${ended.stderr.trim()}`);
  }
  // Where there is no sandbox, no command of an agent runs.
  await cp(at, into, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

/** What a copy needs where we are root: files belong to whom they belonged. */
export function rights(): string[] {
  if (process.getuid?.() !== 0) return [];
  return ['CAP_DAC_OVERRIDE', 'CAP_CHOWN', 'CAP_FOWNER'].flatMap((right) => ['--cap-add', right]);
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
