import { lstatSync, readlinkSync } from 'node:fs';
import { entryAt } from '../folders/entry-at.js';

/** Folders of the system's programs. Where one is a link into another, it stays one in a sandbox. */
export const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt', '/nix'];

/** What a socket's place has for it. */
const COVER = ['--ro-bind', '/dev/null'];

/** Where the system has `bwrap`: never the PATH, a folder of which may be somebody else's. */
export const SANDBOX_PROGRAMS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

/**
 * Arguments of `bwrap` that every sandbox of ours begins with: no rights, the system's programs, and processes and
 * devices of its own. What is set in `/proc` is read-only: bwrap by itself leaves root the kernel's settings there.
 */
export function bareSandbox({ network }: { network: boolean }): string[] {
  return [
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network ? [] : ['--unshare-net']),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    ...showSystem(),
    '--proc',
    '/proc',
    '--remount-ro',
    '/proc',
    '--dev',
    '/dev',
  ];
}

function showSystem(): string[] {
  return SYSTEM_FOLDERS.flatMap((path) => {
    try {
      return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind-try', path, path];
    } catch {
      return [];
    }
  });
}

/** Arguments that show nothing in the places of sockets: who listens there is reached by none of them. */
export function covered(sockets: string[]): string[] {
  // Of one that is gone a file would be made.
  return sockets.filter(isSocket).flatMap((path) => [...COVER, path]);
}

/** The same arguments among others, without those for sockets that are gone since. */
export function stillCovered(mounts: string[]): string[] {
  const isGone = (at: number): boolean =>
    COVER.every((word, offset) => mounts[at + offset] === word) && !isSocket(mounts[at + COVER.length] ?? '');
  return mounts.filter((_word, at) => ![at, at - 1, at - 2].some(isGone));
}

/** Tells whether a socket stands at a path, be it one where somebody listens or not. */
export function isSocket(path: string): boolean {
  return entryAt(path)?.isSocket() === true;
}
