import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { stepFailure } from './failures.js';

/** Names that people write for programs that are installed under another. */
const ALSO_CALLED = new Map([['python', 'python3'], ['pip', 'pip3'], ['node', 'nodejs'], ['nodejs', 'node'], ['fd', 'fdfind'], ['bat', 'batcat']]);

/**
 * The absolute path of a command's executable (S18): looked up in `path` when it is a bare name, else relative to
 * `cwd`. Throws `command-not-found` with a hint where there is one.
 */
export async function resolveExecutable(name: string, cwd: string, path: string): Promise<string> {
  if (name.includes('/')) {
    const file = resolve(cwd, name);
    if (await isExecutable(file)) return file;
    throw stepFailure('command-not-found', `Expected \`${name}\` to be an executable file in \`${cwd}\`, ${await whatIsThere(file)}.`);
  }
  const found = await findOnPath(name, path);
  if (found !== null) return found;
  const other = ALSO_CALLED.get(name);
  const hint = other !== undefined && (await findOnPath(other, path)) !== null ? ` \`${other}\` is installed: write that instead.` : ' Install it, or put its folder on the PATH of the worker.';
  throw stepFailure('command-not-found', `Cannot find the program \`${name}\` on the PATH.${hint}`);
}

/** The absolute path of a program, or null. Relative folders of PATH are skipped: they would depend on where one stands. */
export async function findOnPath(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    if (folder.startsWith('/') && (await isExecutable(file))) return file;
  }
  return null;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

async function whatIsThere(file: string): Promise<string> {
  try {
    return (await stat(file)).isFile() ? 'but it may not be executed (`chmod +x` allows it)' : 'got something that is no file';
  } catch {
    return 'but there is none';
  }
}
