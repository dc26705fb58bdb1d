import { usageError } from '../exit-codes.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** A trigger that was synced, and from which definition of which project. */
interface Synced {
  definition: string;
  /** From the project's root. */
  file: string;
  project: string;
}

/** Parts what no definition has into what this project has synced, and what is of others. */
export function partOwn<T>(gone: T[], syncedOf: (one: T) => Synced, project: string): { removed: T[]; others: T[] } {
  const isOwn = (one: T): boolean => syncedOf(one).project === project;
  return { removed: gone.filter(isOwn), others: gone.filter((one) => !isOwn(one)) };
}

/** Throws a usage error where what has the name of a definition is another project's: it would be lost. */
export function requireOwn(name: string, there: Synced | undefined, project: string): void {
  if (there === undefined || there.project === project) return;
  throw usageError(
    `The store has a \`${name}\` that was synced from \`${there.file}\` of another project (\`${there.project}\`).`,
    `Name this one otherwise, or remove that one: ` +
      `\`${shellCommand('perdure schedules remove', [name])}\`. Copies of one project say so ` +
      'by the same `project:` in their perdure.yml.',
  );
}
