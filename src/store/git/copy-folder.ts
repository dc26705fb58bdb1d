import { cp } from 'node:fs/promises';
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runEnclosed } from './run-enclosed.js';

/**
 * Copies the folder at a path of one folder to the same path of another. Agents may be at work in either: a sandbox
 * shows both and nothing else, so no link that one puts in the way leads out of them.
 */
export async function copyFolder(path: string, from: string, to: string): Promise<void> {
  if (!isFolder(join(from, path))) return;
  const [source, target] = [realpathSync(from), realpathSync(to)];
  const [at, into] = [join(source, path), join(target, path)];
  const copying = ['/bin/sh', '-c', 'mkdir -p -- "$2" && cp -a --reflink=auto -T -- "$1" "$3"', 'sh'];
  const ended = await runEnclosed([...copying, at, dirname(into), into], {
    shown: ['--ro-bind', source, source, '--bind', target, target],
    cwd: target,
  });
  if (ended?.failed === true) throw new Error(`\`${path}\` could not be copied: ${ended.said}`);
  if (ended === null) await cp(at, into, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
