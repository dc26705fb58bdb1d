import { cp, mkdir, rename } from 'node:fs/promises';
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeFolder } from '../folders/remove.js';
import { runEnclosed } from './run-enclosed.js';

/** Over one that is there, else beside it first: what was left of a copy that was cut short goes. */
const COPYING = `mkdir -p -- "$2" || exit
if [ -e "$3" ]; then exec cp -a --reflink=auto -T -- "$1" "$3"; fi
chmod -R u+rwx -- "$4" 2> /dev/null
rm -rf -- "$4" && cp -a --reflink=auto -T -- "$1" "$4" && mv -T -- "$4" "$3"`;

/** Where a copy is made before it has its name. Beside it, so that a folder that nobody may write can be moved. */
export function copyingAt(path: string): string {
  return join(dirname(path), '.perdure-copying');
}

/**
 * Copies the folder at a path of one folder to the same path of another: it is there whole, or not at all. Agents may
 * be at work in either: a sandbox shows both and nothing else, so no link that one puts in the way leads out of them.
 */
export async function copyFolder(path: string, from: string, to: string): Promise<void> {
  if (!isFolder(join(from, path))) return;
  const [source, target] = [realpathSync(from), realpathSync(to)];
  const [at, into] = [join(source, path), join(target, path)];
  const made = copyingAt(into);
  const ended = await runEnclosed(['/bin/sh', '-c', COPYING, 'sh', at, dirname(into), into, made], {
    shown: ['--ro-bind', source, source, '--bind', target, target],
    cwd: target,
  });
  if (ended?.failed === true) throw new Error(`\`${path}\` could not be copied: ${ended.said}`);
  if (ended !== null) return;
  const isThere = existsSync(into);
  if (!isThere) await removeFolder(made);
  await mkdir(dirname(into), { recursive: true });
  await cp(at, isThere ? into : made, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  if (!isThere) await rename(made, into);
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
