import { inFolderOf, removeEntry, replaceFile } from '../workspace/open.js';
import type { Folder } from '../workspace/open.js';
import { readIn } from '../workspace/read.js';
import { FileRefusal, MissingRefusal } from '../refusal.js';

/** How a made definition got into its file; `undo` takes away what was written, and nothing that was there before. */
export interface KeptFile {
  undo: () => Promise<void>;
}

/** The line of a made file that says which run made it: a comment in its front matter. */
const MADE_IN = /^---\n# Made in run (\S+)\n/;

/** The text of an agent's file with the run that made it. */
export function withRun(text: string, run: string): string {
  return text.replace(/^---\n/, `---\n# Made in run ${run.replace(/\s/g, '_')}\n`);
}

/**
 * Where a run's agent of that name is written: its file in the folder, or beside that of another run, which stays
 * that run's, a file that names this one. A file that no run made is in the way.
 */
export async function madeFileFor(
  workspace: string,
  folder: string,
  { name, run }: { name: string; run: string },
): Promise<string> {
  const usual = `${folder}/${name}.agent`;
  const found = await inFolderOf(workspace, usual, {}, (inner, file) => textIn(inner, file, usual)).catch(
    (error: unknown) => {
      // There is no folder yet; another fault is told where the file is written.
      if (error instanceof FileRefusal) return null;
      throw error;
    },
  );
  const by = found === null ? undefined : MADE_IN.exec(found)?.[1];
  return by === undefined || by === run.replace(/\s/g, '_')
    ? usual
    : `${folder}/${name}.${run.replace(/[^A-Za-z0-9-]+/g, '-')}.agent`;
}

/**
 * Puts what was made into a file of its own. One that holds the same is used again; another content is nobody's to
 * overwrite. Throws a `FileRefusal` for the model.
 */
export async function keepMadeFile(workspace: string, file: string, text: string): Promise<KeptFile> {
  return inFolderOf(workspace, file, { make: true }, async (folder, name) => {
    const found = await textIn(folder, name, file);
    if (found === text) return { undo: () => Promise.resolve() };
    if (found !== null)
      throw new FileRefusal(
        `There is a file \`${file}\` already, and it says something else; choose another name, or have a person ` +
          `remove it.`,
      );
    await replaceFile(folder, name, text);
    return {
      undo: () =>
        inFolderOf(workspace, file, {}, removeEntry).catch((error: unknown) => {
          if (!(error instanceof MissingRefusal)) throw error;
        }),
    };
  });
}

/** Null when there is no such file. */
async function textIn(folder: Folder, name: string, file: string): Promise<string | null> {
  try {
    return (await readIn(folder, name, file)).text;
  } catch (error) {
    if (error instanceof MissingRefusal) return null;
    throw error;
  }
}
