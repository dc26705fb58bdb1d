import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { stepFailure } from '../failures.js';
import { findOnPath, isExecutable } from '../../store/processes/find-on-path.js';

/** Names that people write for programs that are installed under another. */
const ALSO_CALLED = new Map([
  ['python', 'python3'],
  ['pip', 'pip3'],
  ['node', 'nodejs'],
  ['nodejs', 'node'],
  ['fd', 'fdfind'],
  ['bat', 'batcat'],
]);

/**
 * The absolute path of a command's executable: looked up in `path` when it is a bare name, else relative to
 * `cwd`. Throws `command-not-found` with a hint where there is one.
 */
export function resolveExecutable(name: string, cwd: string, path: string): string {
  if (name.includes('/')) {
    const file = resolve(cwd, name);
    if (isExecutable(file)) return file;
    throw stepFailure(
      'command-not-found',
      `Expected \`${name}\` to be an executable file in \`${cwd}\`, ${whatIsThere(file)}.`,
    );
  }
  const found = findOnPath(name, path);
  if (found !== null) return found;
  const other = ALSO_CALLED.get(name);
  const hint =
    other !== undefined && findOnPath(other, path) !== null
      ? ` \`${other}\` is installed: write that instead.`
      : ' Install it, or put its folder on the PATH of the worker.';
  throw stepFailure('command-not-found', `Cannot find the program \`${name}\` on the PATH.${hint}`);
}

function whatIsThere(file: string): string {
  try {
    return statSync(file).isFile()
      ? 'but it may not be executed (`chmod +x` allows it)'
      : 'got something that is no file';
  } catch {
    return 'but there is none';
  }
}
