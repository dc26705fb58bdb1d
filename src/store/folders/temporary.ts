import { lstatSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { realOf } from './places.js';

/** What stands in a folder that agents may work in, and in no system's folder for temporary files. */
const OF_A_PROJECT = ['perdure.yml', '.git', '.perdure'];
const SYSTEM_PLACE = '/tmp';

/**
 * Where this process has its temporary folders: TMPDIR, but the system's `/tmp` where that lies in a project. Agents
 * write there, and so would write what their hooks run and what other programs are said to have put out.
 */
export function temporaryPlace(): string {
  const place = realOf(tmpdir());
  return isInProject(place) && !isInProject(SYSTEM_PLACE) ? SYSTEM_PLACE : place;
}

/** Tells whether a folder is that place. It is none that commands of agents see, should it lie in their workspace. */
export function isTemporaryPlace(folder: string): boolean {
  const real = realOf(folder);
  return real === realOf(tmpdir()) && real === temporaryPlace();
}

/** Makes a folder there that only this user may enter, `perdure-<purpose>-…`; gives its real path. */
export async function makeTemporary(purpose: string): Promise<string> {
  return await mkdtemp(join(realOf(temporaryPlace()), `perdure-${purpose}-`));
}

function isInProject(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (OF_A_PROJECT.some((name) => lstatSync(join(at, name), { throwIfNoEntry: false }) !== undefined)) return true;
    if (dirname(at) === at) return false;
  }
}
