import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EndedWork } from '../../plan/placement/ended-work.js';
import type { Hash } from '../../plan/values/value.js';
import { writeAtomically } from '../files.js';
import { removeFolder } from '../folders/remove.js';
import { PRIVATE_FILE, makeFolders } from '../folders/root.js';
import type { Trees } from './branch.js';
import { opened, tipOf, withBranch } from './branch.js';
import { keepCarried, restoreCarried } from './carried.js';
import { carryFromProject, carryInto, emptyCarried } from './carry.js';
import { writeTree } from './commit-tree.js';
import type { Values } from './kept-values.js';
import { PART_BYTES, getPart, putPart } from './kept-values.js';
import type { LeaseOptions } from '../folders/lease.js';
import { withLease } from '../folders/lease.js';
import type { MadeTrees } from './make-trees.js';
import type { TreePlaces } from './places.js';
import { treePlaces } from './places.js';
import { addTree, makeTreeRepository, setStart, startOf } from './tree-repository.js';
import { readIfThere, readText } from '../read-regular.js';

/** The work trees of a run as they stood at one moment: what another machine makes them of. */
export interface KeptTrees {
  made: MadeTrees;
  /** Patterns of what git ignores there. */
  excludes: string;
  /** The branch's last commit. */
  tip: string;
  /** By name: the commit that it began at, git's name of all that stood in it, and paths with a conflict as JSON. */
  trees: Record<string, { start: string; files: string; conflicts?: string }>;
  /** What steps came to, by key, for reruns: each a file's text. */
  done: Record<string, string>;
  /**
   * What folders that go along beside git held when the run began: the values that an archive of them was cut into.
   * Absent where there are none, or an earlier version did not keep them.
   */
  carried?: Hash[];
  /** Packs of git that have all of it, the oldest first: the values that each was cut into. */
  packs: Hash[][];
}

/** What a workspace's row has: the trees, and which activities have ended in them, where that was noted. */
export type KeptState = KeptTrees & { ended?: EndedWork };

/** The text of that; null for a workspace in which an earlier version noted nothing. */
export function keptState(kept: KeptTrees, ended: EndedWork | null): string {
  return JSON.stringify({ ...kept, ...(ended === null ? {} : { ended }) });
}

/** Of more packs than that one is made. */
const MOST_PACKS = 32;

/**
 * Keeps the trees of a run as they stand: what is new since `before` goes to the store as a pack. Nothing is written
 * where nothing has changed: then it gives `before`.
 */
export async function keepTrees(
  stateDir: string,
  run: string,
  { values, before }: { values: Values; before: KeptTrees | null },
  options: LeaseOptions = {},
): Promise<KeptTrees> {
  const trees = await opened(stateDir, run);
  return withBranch(trees, options, async () => {
    const now = {
      made: trees.made,
      excludes: (await readIfThere(join(trees.places.git, 'info', 'exclude'))) ?? '',
      tip: await tipOf(trees),
      trees: await treesNow(trees),
      done: await doneNow(trees.places),
      ...(await carriedAtFirst(trees, values, before)),
    };
    if (before !== null && JSON.stringify({ ...now, packs: before.packs }) === JSON.stringify(before)) return before;
    const known = before !== null && before.packs.length < MOST_PACKS ? before : null;
    const first = known?.packs.slice(0) ?? [await putPack(await packBase(trees), values)];
    const pack = await packSince(trees, now, known);
    return { ...now, packs: pack === null ? first : [...first, await putPack(pack, values)] };
  });
}

/** They are kept once: what steps change there stays with the worker. */
async function carriedAtFirst(
  { made, places }: Trees,
  values: Values,
  before: KeptTrees | null,
): Promise<Pick<KeptTrees, 'carried'>> {
  if (made.carry.length === 0) return {};
  return { carried: before?.carried ?? (await keepCarried(places, values)) };
}

async function treesNow(trees: Trees): Promise<KeptTrees['trees']> {
  const found: KeptTrees['trees'] = {};
  const folder = join(trees.places.git, 'worktrees');
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const start = await startOf(trees, name);
    if (start === null || !existsSync(trees.places.tree(name))) continue;
    const { tree } = await writeTree(trees, name, start);
    const conflicts = await readIfThere(conflictsFile(trees.places, name));
    found[name] = { start, files: tree, ...(conflicts === null ? {} : { conflicts }) };
  }
  return found;
}

async function doneNow({ folder }: TreePlaces): Promise<Record<string, string>> {
  const done: Record<string, string> = {};
  const names = existsSync(join(folder, 'done')) ? readdirSync(join(folder, 'done')).sort() : [];
  for (const name of names.filter((file) => file.endsWith('.json')))
    done[name.slice(0, -'.json'.length)] = await readText(join(folder, 'done', name));
  return done;
}

/** The files that the run began with: of the project's history nothing else is needed. */
async function packBase({ git, made }: Trees): Promise<Buffer> {
  const objects = await git(['rev-list', '--objects', '--no-walk', made.base]);
  return git(['pack-objects', '--stdout', '-q'], { input: objects });
}

/** What is there now and was not there before, or at the beginning; null where that is nothing. */
async function packSince(
  { git, made }: Trees,
  now: Pick<KeptTrees, 'tip' | 'trees'>,
  before: KeptTrees | null,
): Promise<Buffer | null> {
  const all = ({ tip, trees }: Pick<KeptTrees, 'tip' | 'trees'>): string[] => [
    tip,
    ...Object.values(trees).flatMap(({ start, files }) => [start, files]),
  ];
  const without = [made.base, ...(before === null ? [] : all(before))];
  const input = [...all(now), ...without.map((hash) => `^${hash}`)].map((line) => `${line}\n`).join('');
  const objects = await git(['rev-list', '--objects', '--stdin'], { input });
  return objects.length === 0 ? null : git(['pack-objects', '--stdout', '-q'], { input: objects });
}

async function putPack(pack: Buffer, values: Values): Promise<Hash[]> {
  const parts: Hash[] = [];
  for (let at = 0; at < pack.length; at += PART_BYTES)
    parts.push(await putPart(pack.subarray(at, at + PART_BYTES), values));
  return parts;
}

/**
 * Makes the trees of a run as they were kept, in place of whatever stands there. Folders that go along beside git are
 * left out for who only looks at the trees; of a run that an earlier version began they come from the project here.
 */
export async function restoreTrees(
  stateDir: string,
  run: string,
  kept: KeptTrees,
  { values, project, looksOnly }: { values: Values; project: string; looksOnly: boolean },
): Promise<void> {
  const places = treePlaces(stateDir, run);
  makeFolders(places.folder);
  await withLease(join(places.folder, 'lease'), {}, async () => {
    const [made, done] = [join(places.folder, 'made.json'), join(places.folder, 'done')];
    for (const left of [made, places.git, places.trees, done]) await removeFolder(left);
    const repository = await makeTreeRepository(places, {
      objects: null,
      excludes: kept.excludes,
      branch: kept.made.branch,
    });
    if (kept.made.parent !== null || kept.made.base !== kept.tip)
      await writeFile(join(places.git, 'shallow'), `${kept.made.base}\n`, { mode: PRIVATE_FILE });
    for (const parts of kept.packs)
      await repository.git(['index-pack', '--stdin'], { input: await loadPack(parts, values) });
    await repository.git(['update-ref', `refs/heads/${kept.made.branch}`, kept.tip]);
    if (looksOnly) await emptyCarried(places);
    else if (kept.carried === undefined) await carryFromProject(places, project, kept.made.carry);
    else await restoreCarried(places, kept.carried, values);
    for (const [name, { start, files, conflicts }] of Object.entries(kept.trees)) {
      await addTree(repository, name, files);
      await carryInto(places, places.tree(name), kept.made.carry);
      await setStart(repository, name, start);
      if (conflicts !== undefined) await writeFile(conflictsFile(places, name), conflicts, { mode: PRIVATE_FILE });
    }
    await mkdir(done, { recursive: true, mode: 0o700 });
    for (const [key, text] of Object.entries(kept.done)) await writeAtomically(join(done, `${key}.json`), text);
    await writeAtomically(made, JSON.stringify(kept.made));
  });
}

async function loadPack(parts: Hash[], values: Values): Promise<Buffer> {
  const loaded: Buffer[] = [];
  for (const part of parts) loaded.push(await getPart(part, values));
  return Buffer.concat(loaded);
}

function conflictsFile(places: TreePlaces, name: string): string {
  return join(places.admin(name), 'conflicts.json');
}
