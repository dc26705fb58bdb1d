import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../files.js';
import { readText } from '../read-regular.js';
import { StoreFailure, errorCode, storeFailure } from '../store-failure.js';
import { isBelow, realOf } from '../folders/places.js';
import { isStateFolder } from '../folders/state-folders.js';

/** In a state folder: the projects in its project's folder that a person trusts, as paths from there. */
const schema = z.object({ trusted: z.array(z.string()) });
const fileOf = (stateDir: string): string => join(stateDir, 'projects.json');
const STATE = '.perdure';

/**
 * The state folders of the projects that a folder lies in, the nearest first. Agents of their runs write there, so what
 * stands in the folder may be theirs.
 */
export function statesAbove(folder: string): string[] {
  const states: string[] = [];
  for (let at = dirname(realOf(folder)); ; at = dirname(at)) {
    if (isStateFolder(join(at, STATE))) states.push(join(at, STATE));
    if (dirname(at) === at) return states;
  }
}

/** Those of them whose project does not know the folder as one that a person trusts. Throws `StoreFailure`. */
export async function statesWithoutTrust(folder: string): Promise<string[]> {
  const without: string[] = [];
  for (const state of statesAbove(folder))
    if (!(await trustedIn(state)).includes(fromProject(state, folder))) without.push(state);
  return without;
}

/** Writes down that a person trusts the project in a folder, or trusts it no more. Throws `StoreFailure`. */
export async function setTrust(folder: string, { trusted }: { trusted: boolean }): Promise<void> {
  for (const state of statesAbove(folder)) {
    const path = fromProject(state, folder);
    const others = (await trustedIn(state)).filter((one) => one !== path);
    const all = { trusted: trusted ? [...others, path] : others };
    await writeAtomically(fileOf(state), `${JSON.stringify(all)}\n`);
  }
}

/**
 * The trusted projects that lie in a workspace, as paths from its root. A work tree has the same folders as the project
 * whose it is. Throws `StoreFailure`.
 */
export async function trustedBelow(stateDir: string, workspace: string): Promise<string[]> {
  const trusted = await trustedIn(stateDir);
  const [project, place] = [dirname(realOf(stateDir)), realOf(workspace)];
  if (isBelow(place, realOf(stateDir))) return trusted;
  return trusted
    .map((path) => join(project, path))
    .flatMap((path) => (isBelow(path, place) ? relative(place, path) : []));
}

function fromProject(state: string, folder: string): string {
  return relative(dirname(state), realOf(folder));
}

async function trustedIn(stateDir: string): Promise<string[]> {
  const path = fileOf(stateDir);
  const text = await readText(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw storeFailure(error, 'read', path);
  });
  if (text === null) return [];
  const read = schema.safeParse(parsed(text));
  if (read.success) return read.data.trusted;
  throw new StoreFailure(
    'internal',
    `Expected \`${path}\` to list projects under \`trusted\`; it does not. Remove it: each project is trusted anew.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
