import { AsyncLocalStorage } from 'node:async_hooks';

/** What keeps the files of the workspace that an activity works in; once it has, nothing more is to be kept. */
interface Keeping {
  keep: () => Promise<void>;
  isKept: boolean;
}

const current = new AsyncLocalStorage<Keeping>();

/** Runs an activity whose files are kept elsewhere too: before what came of it is journalled, or at its end. */
export async function whileKeeping<T>(keep: () => Promise<void>, act: () => Promise<T>): Promise<T> {
  const keeping: Keeping = { keep, isKept: false };
  return current.run(keeping, async () => {
    try {
      return await act();
    } finally {
      if (!keeping.isKept) await keep();
    }
  });
}

/**
 * Resolves when what this activity has changed is kept: a journal that says that something was done must not outlive
 * the files that it left.
 */
export async function filesKept(): Promise<void> {
  const keeping = current.getStore();
  if (keeping === undefined) return;
  await keeping.keep();
  keeping.isKept = true;
}
