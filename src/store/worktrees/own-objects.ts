import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeRepository } from './tree-repository.js';

/**
 * Copies commits with all their files, which a repository may have borrowed, into it: what the project does not keep
 * any more stays here. Of the history below them nothing is copied.
 */
export async function keepFiles(repository: TreeRepository, commits: string[]): Promise<void> {
  await pack(repository, await objectsOf(repository, ['--no-walk', ...commits]));
}

/** Copies what a commit has beside its parent, where git borrowed it rather than write it a second time. */
export async function keepBorrowed(repository: TreeRepository, commit: string): Promise<void> {
  const objects = join(repository.places.git, 'objects');
  const isBorrowed = (hash: string): boolean => !existsSync(join(objects, hash.slice(0, 2), hash.slice(2)));
  await pack(repository, (await objectsOf(repository, [commit, `^${commit}^`])).filter(isBorrowed));
}

async function objectsOf({ git }: TreeRepository, words: string[]): Promise<string[]> {
  const lines = (await git(['rev-list', '--objects', '--no-object-names', ...words])).toString();
  return lines.split('\n').slice(0, -1);
}

async function pack({ git }: TreeRepository, objects: string[]): Promise<void> {
  if (objects.length === 0) return;
  const input = objects.map((hash) => `${hash}\n`).join('');
  // Deltas are taken as they are and not looked for: that would take longer than all the rest.
  await git(['pack-objects', '-q', '--window=0', 'objects/pack/pack'], { input });
}
