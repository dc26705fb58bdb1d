import { join } from 'node:path';
import { MAIN_TREE } from '../../plan/worktree.js';
import { fileName } from '../files.js';

/** Where the work trees of a run are, and the repository that they share. Nothing of it is the project's. */
export interface TreePlaces {
  /** Holds all of it. */
  folder: string;
  /** The repository's own folder. */
  git: string;
  /** Holds the trees. */
  trees: string;
  /** What stands in a tree of that name: the run's own, or a step's. */
  tree: (name: string) => string;
  /** What git keeps for that tree. */
  admin: (name: string) => string;
}

export { MAIN_TREE };

/** Where the tree that a run works in is, from the state folder. */
export function mainPlace(run: string): string {
  return join('worktrees', fileName(run), 'trees', MAIN_TREE);
}

/** The places of a root run's work trees in a state folder. */
export function treePlaces(stateDir: string, run: string): TreePlaces {
  const folder = join(stateDir, 'worktrees', fileName(run));
  const git = join(folder, 'repository');
  const trees = join(folder, 'trees');
  return {
    folder,
    git,
    trees,
    tree: (name) => join(trees, name),
    admin: (name) => join(git, 'worktrees', name),
  };
}
