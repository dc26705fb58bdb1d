import { lstatSync, readlinkSync } from 'node:fs';

/** Folders of the system's programs. Where one is a link into another, it stays one in a sandbox. */
export const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt', '/nix'];

/** Arguments of `bwrap` that show the system's programs, read-only. */
export function showSystem(): string[] {
  return SYSTEM_FOLDERS.flatMap((path) => {
    try {
      return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind-try', path, path];
    } catch {
      return [];
    }
  });
}
