import { accessSync, constants } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { shellCommand } from '../../plan/text/shell-command.js';

const NPX = 'npx perdure';
const BIN = `${sep}node_modules${sep}.bin`;

let isByNpx: boolean | null = null;

/**
 * A hint of ours with its commands as a person can type them here: `npx perdure …` where the program was started so, or
 * from a project's own packages, and no `perdure` is on the path. Not for what others wrote.
 */
export function asTyped(hint: string): string {
  return ownName() === NPX ? hint.replace(/(^|[\s`(])perdure (?=[a-z<…])/g, '$1npx perdure ') : hint;
}

/** A command of ours with what it names, as a person can copy it here: see `shellCommand`. */
export function typedCommand(...said: Parameters<typeof shellCommand>): string {
  return asTyped(shellCommand(...said));
}

/** What a person types here before a command's name. */
function ownName(): string {
  isByNpx ??= needsNpx(process.env, process.argv[1] ?? '');
  return isByNpx ? NPX : 'perdure';
}

/** Tells whether `perdure` alone would not be found where this program was started. */
export function needsNpx(env: NodeJS.ProcessEnv, program: string): boolean {
  const started = program.includes(`${BIN}${sep}`) || /^\W*perdure\b/.test(env['npm_lifecycle_script'] ?? '');
  return started && !isOnPath(env['PATH'] ?? '');
}

/** What `npx` itself puts before the path does not count. */
function isOnPath(path: string): boolean {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.endsWith(BIN) && !folder.includes(`${sep}node-gyp-bin`))
    .some((folder) => isProgram(join(folder, 'perdure')));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
