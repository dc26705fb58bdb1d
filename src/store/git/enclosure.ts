import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { SANDBOX_PROGRAMS, bareSandbox, covered } from '../processes/bare-sandbox.js';
import { findOnPath, systemProgram } from '../processes/find-on-path.js';
import { isOfSystem, programPlaces } from '../processes/program-places.js';
import { outsidePath } from '../processes/search-path.js';

/** What a program of ours sees of the machine beside programs. Paths are absolute. */
export interface Sight {
  /** The files that are looked at; it runs there. Without any it runs in the first folder of ours. */
  workTree?: string | undefined;
  /** It writes these files. They are ours: nobody works there meanwhile. */
  writes?: boolean | undefined;
  /** Folders of ours that it works in. */
  ours: [string, ...string[]];
  /** Folders and files of others that it reads. */
  reads?: string[] | undefined;
  /** Folders below the work tree that are not shown. */
  hidden: string[];
  /** Sockets below it that lead to nobody. */
  sockets?: string[] | undefined;
}

/** Tells whether a command that somebody else wrote names git. */
export function isGit(program: string | undefined): boolean {
  return program === 'git';
}

/** The git of this machine: the system's, else one on the PATH where no agent writes. */
export function gitProgram(workTree: string | undefined): string {
  const path = outsidePath(process.env['PATH'], workTree ?? null);
  return systemProgram('git') ?? findOnPath('git', path) ?? 'git-is-not-installed';
}

/**
 * The program `bwrap`, where it is installed; null elsewhere. Looked for each time: it may be installed while we run.
 */
export function sandboxProgram(): string | null {
  return SANDBOX_PROGRAMS.find((file) => existsSync(file)) ?? null;
}

/**
 * What a program outside the system's folders needs beside itself: what it was installed with, as a virtual environment
 * of Python is. Itself, and no more, where it lies in a home or in what holds one.
 */
export function installationOf(program: string): string[] {
  if (isOfSystem(program)) return [];
  const places = programPlaces(dirname(program));
  return places.length === 0 ? [program] : places;
}

/**
 * Arguments of `bwrap` before a program and its own: as the sandbox of agents' commands, but that the files are written
 * only where that is asked for. Its one capability, where we have it ourselves, is to read what belongs to others.
 */
export function enclose(
  program: string,
  { workTree, writes = false, ours, reads = [], hidden, sockets = [] }: Sight,
): string[] {
  const more = [...new Set([program, realpathSync(program)].flatMap(installationOf))];
  return [
    ...bareSandbox({ network: false }),
    ...(process.getuid?.() === 0 ? ['--cap-add', 'CAP_DAC_READ_SEARCH'] : []),
    ...more.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    '--tmpfs',
    '/tmp',
    ...(workTree === undefined ? [] : [writes ? '--bind' : '--ro-bind', workTree, workTree]),
    ...hidden.flatMap((folder) => ['--tmpfs', folder]),
    ...covered(sockets),
    ...reads.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...ours.flatMap((folder) => ['--bind', folder, folder]),
    '--chdir',
    workTree ?? ours[0],
    '--',
  ];
}
