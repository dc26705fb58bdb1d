import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, relative, sep } from 'node:path';
import { SANDBOX_PROGRAMS, SYSTEM_FOLDERS, bareSandbox } from '../processes/bare-sandbox.js';
import { findOnPath, isExecutable } from '../processes/find-on-path.js';

/** Where the system has its git: no workspace is there, whatever PATH says. */
const GITS = [
  '/usr/bin/git',
  '/usr/local/bin/git',
  '/bin/git',
  '/opt/homebrew/bin/git',
  '/run/current-system/sw/bin/git',
];

/** What git sees of the machine beside programs. Paths are absolute. */
export interface Sight {
  /** The files that are looked at; git runs there. */
  workTree: string;
  /** Folders of ours that git works in. */
  ours: string[];
  /** Folders below the work tree that are not shown. */
  hidden: string[];
}

/**
 * The git of this machine: the system's, else one on the PATH that is in no folder of packages, and not below `apart`.
 */
export function gitProgram(apart: string | undefined): string {
  const known = GITS.find(isExecutable);
  if (known !== undefined) return known;
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(
      (folder) =>
        isAbsolute(folder) &&
        !folder.split(sep).includes('node_modules') &&
        (apart === undefined || !isBelow(folder, apart)),
    );
  return findOnPath('git', folders.join(delimiter)) ?? 'git-is-not-installed';
}

/**
 * The program `bwrap`, where it is installed; null elsewhere. Looked for each time: it may be installed while we run.
 */
export function sandboxProgram(): string | null {
  return SANDBOX_PROGRAMS.find((file) => existsSync(file)) ?? null;
}

/**
 * Arguments of `bwrap` before git and its own: as the sandbox of agents' commands, but that the files are not to be
 * written. Its one capability, where we have it ourselves, is to read what belongs to others.
 */
export function enclose(git: string, { workTree, ours, hidden }: Sight): string[] {
  const real = realpathSync(git);
  const more = SYSTEM_FOLDERS.some((known) => real.startsWith(`${known}/`))
    ? []
    : ['--ro-bind-try', dirname(dirname(real)), dirname(dirname(real))];
  return [
    ...bareSandbox({ network: false }),
    ...(process.getuid?.() === 0 ? ['--cap-add', 'CAP_DAC_READ_SEARCH'] : []),
    ...more,
    '--tmpfs',
    '/tmp',
    '--ro-bind',
    workTree,
    workTree,
    ...hidden.flatMap((folder) => ['--tmpfs', folder]),
    ...ours.flatMap((folder) => ['--bind', folder, folder]),
    '--chdir',
    workTree,
    '--',
  ];
}

function isBelow(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from === '' || (!from.startsWith('..') && !isAbsolute(from));
}
