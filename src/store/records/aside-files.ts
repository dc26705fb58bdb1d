import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileName, nameText } from '../files.js';

/** Random, before the name: two things of one path are kept side by side. */
const MARK = /^[0-9a-f]{8}-/;

/** What was taken out of a workspace of a run, because it came to be where no command may write. */
export interface SetAside {
  /** Where it was, from the workspace's root. */
  path: string;
  /** Where it is kept; absolute. */
  kept: string;
}

/** The folder that keeps what was taken out of the workspaces of a root run. */
export function asideFolder(stateDir: string, run: string): string {
  return join(stateDir, 'set-aside', fileName(run));
}

/** A new name in that folder for what was at a path: none that git, npm or an editor goes by who is led there. */
export function asideName(path: string): string {
  return `${randomBytes(4).toString('hex')}-${fileName(path)}`;
}

/** What is kept of a root run, sorted by its path. */
export function listAside(stateDir: string, run: string): SetAside[] {
  const folder = asideFolder(stateDir, run);
  return namesIn(folder)
    .map((name) => ({ path: nameText(name.replace(MARK, '')), kept: join(folder, name) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing was taken, or nobody can say
  }
}
