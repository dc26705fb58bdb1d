import { inFolderOf, removeEntry, replaceFile } from '../workspace/open.js';
import type { Folder } from '../workspace/open.js';
import { readIn } from '../workspace/read.js';
import { FileRefusal, MissingRefusal } from '../workspace/refusal.js';

/** How a made definition got into its file; `undo` takes away what was written, and nothing that was there before. */
export interface KeptFile {
  undo: () => Promise<void>;
}

/**
 * Puts what was made into a file of its own. One that an earlier run left is used again when it holds the same; another
 * content is nobody's to overwrite. Throws a `FileRefusal` for the model.
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
