import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { entryAt } from '../../../store/folders/entry-at.js';
import { isBelow, realOf } from '../../../store/folders/places.js';

/** What the system tells of each socket of Unix, on Linux. */
const SOCKETS = '/proc/net/unix';
/** A path stands behind seven fields; one of no file begins with `@`. */
const PATH = /^(?:\S+ +){7}([^@].*)$/;

/**
 * Sockets in a workspace by which programs of this machine are reached, however deep they lie: those that the system
 * tells of. A path that is not absolute is from where some program stands now.
 */
export function boundSockets(workspace: string): string[] {
  const names = textOf(SOCKETS)
    .split('\n')
    .slice(1)
    .flatMap((line) => PATH.exec(line)?.[1] ?? []);
  const named = [...new Set(names)];
  const near = named.filter((path) => !path.startsWith('/'));
  const folders = near.length === 0 ? [] : workingFolders().filter((folder) => isBelow(folder, workspace));
  const paths = [
    ...named.filter((path) => path.startsWith('/')),
    ...folders.flatMap((folder) => near.map((path) => join(folder, path))),
  ];
  const real = paths.filter((path) => entryAt(path)?.isSocket() === true).map(realOf);
  return [...new Set(real)].filter((path) => isBelow(path, workspace));
}

/** The folders in which processes stand, as far as we may know them. */
function workingFolders(): string[] {
  const folders = new Set<string>();
  for (const id of readdirSync('/proc')) {
    try {
      if (/^\d+$/.test(id)) folders.add(readlinkSync(`/proc/${id}/cwd`));
    } catch {
      // it has ended, or is another user's
    }
  }
  return [...folders];
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // not on this system
  }
}
