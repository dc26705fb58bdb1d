import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The top of the git repository that a folder is in; null outside of any. Starts no process. */
export function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : repositoryOf(parent);
}
