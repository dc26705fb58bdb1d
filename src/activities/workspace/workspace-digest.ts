import { lstat, mkdir, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { canonicalJson } from '../../plan/values/json.js';
import type { Json } from '../../plan/values/json.js';
import type { WorkspaceState } from '../../plan/result.js';
import type { Git } from '../../store/git/git.js';
import { GitError, gitOf } from '../../store/git/git.js';
import { KEPT_AS_THEY_ARE } from '../../store/git/index-files.js';
import { excludesOf, headOf, indexOf, repositoryAt, repositoryOf } from '../../store/git/repository.js';
import type { Look } from '../../store/git/work-tree.js';
import { hide, lookAt } from '../../store/git/work-tree.js';
import { sha256 } from '../../store/hash.js';
import { noFile } from '../../store/read-regular.js';
import { makeTemporary } from '../../store/folders/temporary.js';

/** What only says what runs do: it is in the Plan, and a step that it changes has another content. */
const DEFINITIONS = ['definitions/workflows', 'definitions/agents', '.glee/workflows', '.glee/agents'];
/** Repositories that are looked at, those inside of others included: nobody knows the state of a folder with more. */
const MOST_REPOSITORIES = 50;

/** What does not count of a workspace. */
export interface Apart {
  /** The run's own definition, from the workspace. */
  definition?: string | undefined;
  /** The state folder, which may be anywhere. */
  stateDir?: string | null;
}

/**
 * The state of a workspace under git: its commit, what its index says, and sizes and times of the files that differ
 * from that, but for definitions. Null where there is no git; `unknown` where git cannot tell now, for want of room,
 * say. The workspace's own repository is read as data, and git works with one of ours: what an agent wrote there into a
 * configuration is not heard.
 */
export async function workspaceDigest(
  folder: string,
  { definition, stateDir }: Apart = {},
): Promise<WorkspaceState | null> {
  // Spares us to start git where it can say nothing.
  if (repositoryOf(folder) === null) return null;
  try {
    const workspace = await realpath(folder);
    const states = stateDir == null ? [] : [await realpath(stateDir).catch(() => stateDir)];
    const without = ['.perdure', ...DEFINITIONS, ...ownFile(definition)].map((path) => join(workspace, path));
    const top = repositoryOf(workspace) ?? workspace;
    return await withRepository(async (git, own) => {
      const left = { repositories: MOST_REPOSITORIES };
      return sha256(
        canonicalJson(await stateOf({ top, below: relative(top, workspace), states, without }, { git, own, left })),
      );
    });
  } catch {
    return 'unknown';
  }
}

/** One outside of the folder is none of its state anyway, and git refuses to hear of it. */
function ownFile(definition: string | undefined): string[] {
  return definition === undefined || isAbsolute(definition) || /^\.\.(?:$|\/)/.test(definition) ? [] : [definition];
}

/** An empty repository of ours, for one look. */
async function withRepository<T>(use: (git: Git, folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporary('digest');
  try {
    await Promise.all(['objects', 'refs', 'info'].map((name) => mkdir(join(folder, name))));
    await Promise.all([
      writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n'),
      writeFile(join(folder, 'info', 'attributes'), KEPT_AS_THEY_ARE),
    ]);
    return await use(gitOf(folder), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Place {
  top: string;
  below: string;
  /** Absolute. */
  states: string[];
  without: string[];
}

/** The state of one repository, and of those inside. */
async function stateOf(
  { top, below, states, without }: Place,
  { git, own, left }: { git: Git; own: string; left: { repositories: number } },
): Promise<Json> {
  if ((left.repositories -= 1) < 0) throw new Error('There are too many repositories.');
  const repository = await repositoryAt(top);
  const files = [join(own, `index.${left.repositories}`), join(own, `ignored.${left.repositories}`)] as const;
  const [index, ignored] = files;
  const known = await indexOf(repository);
  if (known !== null) {
    await writeFile(index, known.bytes);
    await utimes(index, known.at, known.at);
  }
  await writeFile(ignored, (await excludesOf(repository)) ?? '');
  const apart = hide(top, [...states, ...without]);
  const look = {
    git,
    repository,
    below,
    without: apart.without,
    place: { index, ignored, hidden: hide(top, states).hidden },
  };
  // An index that points to other files of its repository (split, sparse) is of no use here, nor is one that says of
  // files that nobody is to look at them: then each file is looked at.
  if (known !== null && (await hidesFiles(look))) await rm(index, { force: true });
  const seen = await lookAt(look).catch(async (error: unknown) => {
    if (known === null || (error instanceof GitError && error.tookTooLong)) throw error;
    await rm(index, { force: true });
    return lookAt(look);
  });
  const changed = await Promise.all([...seen.changed, ...seen.unnamed].sort().map((path) => fileState(top, path)));
  const inside: Json[] = [];
  for (const path of seen.repositories.sort())
    inside.push([path, await stateInside(join(top, path), { states, without }, { git, own, left })]);
  return { head: (await headOf(repository)) || 'no commit', indexed: sha256(seen.indexed.join('\0')), changed, inside };
}

/**
 * The state of a repository inside. An index may say that there is one where a link leads elsewhere: what is there is
 * none of the workspace's. Throws where one became a link meanwhile.
 */
async function stateInside(
  top: string,
  apart: Pick<Place, 'states' | 'without'>,
  tools: Parameters<typeof stateOf>[1],
): Promise<Json> {
  if (!(await isReal(top))) return fileState(dirname(top), basename(top));
  const state = await stateOf({ top, below: '', ...apart }, tools);
  if (!(await isReal(top))) throw new Error('The repository has become something else.');
  return state;
}

/** Tells whether a path is a folder, and no link is on the way. */
async function isReal(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true && (await realpath(path).catch(() => null)) === path;
}

/** Has somebody told the index to take files for unchanged (`--assume-unchanged`, `--skip-worktree`)? */
async function hidesFiles({ git, repository: { top }, place }: Look): Promise<boolean> {
  // With the files: only so git runs in the sandbox, and an agent may have written this index.
  const told = await git(['ls-files', '-z', '-v'], { ...place, workTree: top }).catch(() => null);
  return told === null || /(?:^|\0)(?:[a-z]|S) /.test(told.toString('latin1'));
}

async function fileState(top: string, path: string): Promise<[string, number, number]> {
  const found = await lstat(join(top, path)).catch((error: unknown) => noFile(error, join(top, path)));
  return [path, found?.size ?? -1, found?.mtimeMs ?? -1];
}
