import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../files.js';
import { readText } from '../read-regular.js';
import { StoreFailure, errorCode, storeFailure } from '../store-failure.js';
import { isBelow, realOf } from '../folders/places.js';
import { isStateFolder } from '../folders/state-folders.js';

/**
 * In a state folder, as paths from the folder that holds it: the projects that a person trusts, and the projects whose
 * state it is though it lies elsewhere than in their root.
 */
const trustSchema = z.object({ trusted: z.array(z.string()), of: z.array(z.string()).optional() });
const trustFile = (state: string): string => join(state, 'projects.json');

/** In the place of a project's state folder: where its state is instead, as paths from the project's root. */
const markSchema = z.object({ states: z.array(z.string()) });
const markFile = (root: string): string => join(root, STATE, 'elsewhere.json');
const STATE = '.perdure';

/** A project, and a folder with state of its runs. */
export interface ProjectAround {
  root: string;
  state: string;
}

/**
 * The projects in which runs were made and which a folder lies in, the nearest first. Agents of their runs write there,
 * so what stands in the folder may be theirs. Throws `StoreFailure`.
 */
export async function projectsAbove(folder: string): Promise<ProjectAround[]> {
  const projects: ProjectAround[] = [];
  for (let root = dirname(realOf(folder)); ; root = dirname(root)) {
    const states = [join(root, STATE), ...(await statesElsewhere(root))];
    projects.push(...states.filter(isStateFolder).map((state) => ({ root, state })));
    if (dirname(root) === root) return projects;
  }
}

/** Those of them that do not know the folder as a project that a person trusts. Throws `StoreFailure`. */
export async function projectsWithoutTrust(folder: string): Promise<ProjectAround[]> {
  const without: ProjectAround[] = [];
  for (const project of await projectsAbove(folder))
    if (!(await readTrust(project.state)).trusted.includes(fromHolder(project.state, folder))) without.push(project);
  return without;
}

/** Writes down that a person trusts the project in a folder, or trusts it no more. Throws `StoreFailure`. */
export async function setTrust(folder: string, { trusted }: { trusted: boolean }): Promise<void> {
  for (const { state } of await projectsAbove(folder)) {
    const path = fromHolder(state, folder);
    const known = await readTrust(state);
    const others = known.trusted.filter((one) => one !== path);
    await write(trustFile(state), { ...known, trusted: trusted ? [...others, path] : others });
  }
}

/**
 * Leaves a mark in a project whose state is not in its root: by it a project that lies further down knows that agents
 * write there. Nothing is written where it is there already, and none where nobody may write. Throws `StoreFailure`.
 */
export async function markProject({ root, stateDir }: { root: string; stateDir: string }): Promise<void> {
  const [at, state] = [realOf(root), realOf(stateDir)];
  if (state === join(at, STATE)) return;
  const [known, states] = [await readTrust(state), await statesElsewhere(at)];
  const path = fromHolder(state, at);
  if (known.of?.includes(path) !== true) await write(trustFile(state), { ...known, of: [...(known.of ?? []), path] });
  if (states.includes(state)) return;
  try {
    await write(markFile(at), { states: [...states, state].map((one) => relative(at, one)) });
    await writeAtomically(join(at, STATE, '.gitignore'), '*\n');
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(codeBehind(error))) throw error; // no agent writes there, either
  }
}

/** The roots of the projects whose state a folder is. Throws `StoreFailure`. */
export async function projectsOf(stateDir: string): Promise<string[]> {
  const holder = dirname(realOf(stateDir));
  return [holder, ...((await readTrust(stateDir)).of ?? []).map((path) => resolve(holder, path))];
}

/**
 * The trusted projects that lie in a workspace, as paths from its root. A work tree has the same folders as the project
 * whose it is. Throws `StoreFailure`.
 */
export async function trustedBelow(stateDir: string, workspace: string): Promise<string[]> {
  const [state, place] = [realOf(stateDir), realOf(workspace)];
  const roots = isBelow(place, state) ? await projectsOf(state) : [place];
  const trusted = (await readTrust(state)).trusted.map((path) => resolve(dirname(state), path));
  return roots.flatMap((root) =>
    trusted.filter((path) => path !== root && isBelow(path, root)).map((path) => relative(root, path)),
  );
}

function fromHolder(state: string, folder: string): string {
  return relative(dirname(realOf(state)), realOf(folder));
}

async function statesElsewhere(root: string): Promise<string[]> {
  const what = 'where the state of this project is under `states`';
  const mark = await read(markFile(root), markSchema, what).catch((error: unknown) => {
    if (codeBehind(error) === 'EACCES') return null; // a folder of somebody else's
    throw error;
  });
  return (mark?.states ?? []).map((path) => resolve(root, path));
}

async function readTrust(state: string): Promise<z.infer<typeof trustSchema>> {
  return (await read(trustFile(state), trustSchema, 'projects under `trusted`')) ?? { trusted: [] };
}

async function read<T>(path: string, schema: z.ZodType<T>, what: string): Promise<T | null> {
  const text = await readText(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null;
    throw storeFailure(error, 'read', path);
  });
  if (text === null) return null;
  const found = schema.safeParse(parsed(text));
  if (found.success) return found.data;
  throw new StoreFailure(
    'internal',
    `Expected \`${path}\` to list ${what}; it does not. Remove it: each project is trusted anew.`,
  );
}

/** The code of the system's error that a failure was made of. */
function codeBehind(error: unknown): string {
  return errorCode(error instanceof StoreFailure ? error.cause : error) ?? '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function write(path: string, value: unknown): Promise<void> {
  return writeAtomically(path, `${JSON.stringify(value)}\n`);
}
