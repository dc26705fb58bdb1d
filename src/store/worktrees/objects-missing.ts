import { GitError } from '../git/git.js';
import { MAIN_TREE } from './places.js';
import type { TreeRepository } from './tree-repository.js';

/** Git has removed files that a run borrowed from the project. */
export class ObjectsMissing extends Error {
  constructor(run: string, tree: string) {
    super(
      `Git has removed files that \`${run}\` began with from the project's repository, and the run has no copy of ` +
        `them: what it changed cannot be told any more. All files as it left them stand in \`${tree}\`.`,
    );
    this.name = 'ObjectsMissing';
  }
}

/** A repository whose git says in our words that files are missing; it throws `ObjectsMissing`. */
export function tellingWhatIsMissing(
  repository: TreeRepository,
  { run, commits }: { run: string; commits: string[] },
): TreeRepository {
  const { git, places } = repository;
  const lacks = (): Promise<boolean> =>
    git(['rev-list', '--objects', '--quiet', '--no-walk', ...commits]).then(
      () => false,
      (error: unknown) => error instanceof GitError && /^fatal: (?:bad|missing)\b.* object/m.test(error.said),
    );
  return {
    places,
    git: (...call) =>
      git(...call).catch(async (error: unknown) => {
        if (error instanceof GitError && (await lacks())) throw new ObjectsMissing(run, places.tree(MAIN_TREE));
        throw error;
      }),
  };
}
