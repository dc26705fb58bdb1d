import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { SYSTEM_FOLDERS, showSystem } from '../system-folders.js';

/** Where the system has its git: no workspace is there, whatever PATH says. */
const GITS = ['/usr/bin/git', '/usr/local/bin/git', '/bin/git', '/opt/homebrew/bin/git', '/run/current-system/sw/bin/git'];
const SANDBOXES = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

/** What git sees of the machine beside programs. Paths are absolute. */
export interface Sight {
  /** The files that are looked at; git runs there. */
  workTree: string;
  /** Folders of ours that git works in. */
  ours: string[];
  /** Folders below the work tree that are not shown. */
  hidden: string[];
}

/** The git of this machine: the system's, else one on the PATH that is in no folder of packages, and not below `apart`. */
export function gitProgram(apart: string | undefined): string {
  const known = GITS.find(isProgram);
  if (known !== undefined) return known;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !folder.split(sep).includes('node_modules') && (apart === undefined || !isBelow(folder, apart)));
  return folders.map((folder) => join(folder, 'git')).find(isProgram) ?? 'git-is-not-installed';
}

/** The program `bwrap`, where it is installed; null elsewhere. Looked for each time: it may be installed while we run. */
export function sandboxProgram(): string | null {
  return SANDBOXES.find((file) => existsSync(file)) ?? null;
}

/**
 * Arguments of `bwrap` before git and its own: as the sandbox of agents' commands, but that the files are not to be
 * written. Its one capability, where we have it ourselves, is to read what belongs to others.
 */
export function enclose(git: string, { workTree, ours, hidden }: Sight): string[] {
  const real = realpathSync(git);
  const more = SYSTEM_FOLDERS.some((known) => real.startsWith(`${known}/`)) ? [] : ['--ro-bind-try', dirname(dirname(real)), dirname(dirname(real))];
  return [
    '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--unshare-cgroup-try', '--die-with-parent', '--new-session', '--cap-drop', 'ALL',
    ...(process.getuid?.() === 0 ? ['--cap-add', 'CAP_DAC_READ_SEARCH'] : []),
    ...showSystem(), ...more, '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp',
    '--ro-bind', workTree, workTree,
    ...hidden.flatMap((folder) => ['--tmpfs', folder]),
    ...ours.flatMap((folder) => ['--bind', folder, folder]),
    '--chdir', workTree, '--',
  ];
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isBelow(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from === '' || (!from.startsWith('..') && !isAbsolute(from));
}
