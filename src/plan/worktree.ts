import type { Requirement } from './names.js';

/** A work tree of git for each run, made of the project's files. */
export interface WorkTreeSpec {
  kind: 'worktree';
  /** Folders that git ignores and that go from tree to tree, from the project's root. */
  carry: string[];
  /** Megabytes that these have together at most, where they go from machine to machine; absent for `CARRY_MB`. */
  carry_mb?: number;
  /** A run whose work it begins with. */
  from?: string;
}

/** What folders under `carry` have at most that go from machine to machine, where nobody says more. */
export const CARRY_MB = 512;

/** Of a run that works in a work tree: where that comes from. */
export interface WorkTreeSettings {
  /** The project's folder. */
  project: string;
  carry: string[];
  /** As the Plan says. */
  carry_mb?: number;
  /** A run whose work it begins with. */
  from?: string;
  /** What the worker that has it must have, of one that goes from machine to machine; absent where it stays. */
  travels?: Requirement;
  /** Of a run inside of a step that commits: its own steps do not. */
  within?: true;
}

/** The branch of our own repository that a run commits to. */
export function branchOf(run: string): string {
  return `perdure/${run.replace(/[^A-Za-z0-9-]+/g, '-').replace(/^-+|-+$/g, '') || 'run'}`;
}

/** The place of a tree of that name, beside the run's own. */
export function treePlace(main: string, tree: string): string {
  return `${main.slice(0, main.lastIndexOf('/') + 1)}${tree}`;
}

/** The tree that a run works in; each step that commits has one of its own beside it. */
export const MAIN_TREE = 'main';

const LONGEST = 100;

/** The name of the work tree of the step at a path: of letters, digits, `-` and `_`, and no other path's. */
export function treeName(path: string): string {
  const name = path.replace(/[^A-Za-z0-9-]/g, (character) => `_${(character.codePointAt(0) ?? 0).toString(36)}_`);
  return name.length <= LONGEST
    ? `s-${name}`
    : `l-${name.slice(0, LONGEST - 30)}-${checksum(path, 1)}${checksum(path, 2)}`;
}

/** FNV-1a in 32 bits; two of different seeds tell paths apart that begin alike. */
function checksum(text: string, seed: number): string {
  let sum = Math.imul(0x811c9dc5, seed) >>> 0;
  for (const character of text) sum = Math.imul(sum ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return sum.toString(36);
}
