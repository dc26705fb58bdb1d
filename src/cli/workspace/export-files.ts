import { mkdir, open, readdir, symlink, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Folder } from '../../activities/workspace/open.js';
import { inFolderBelow, withRoot } from '../../activities/workspace/open.js';
import { usageError } from '../exit-codes.js';
import { makeFolders } from '../make-folders.js';
import { safeName } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import { notWritten } from '../write-whole.js';
import type { Snapshots } from './compare.js';
import { changesOf, findSnapshots } from './compare.js';
import type { Entry } from './contents.js';
import { EXECUTABLE, FOLDER_OF_ITS_OWN, LINK, entriesOf, withContents } from './contents.js';
import { tellMissing } from './tell-missing.js';

export interface Export {
  run: string;
  /** As it was typed. */
  folder: string;
  /** Of the files that the run found, or of those that it left. */
  at: 'start' | 'end';
  /** Only those that have changed. */
  changed: boolean;
  json: boolean;
}

/** `workspace export`: writes the files into a folder that is new or empty. */
export async function exportFiles({ run, folder, at, changed, json }: Export, terminal: Terminal): Promise<void> {
  const snapshots = await findSnapshots(run, terminal, at === 'start' && !changed);
  const target = resolve(terminal.cwd, folder);
  await requireEmpty(target, folder);
  const entries = await wantedOf(snapshots, { at, changed });
  const paths = entries.map(({ path }) => path);
  makeFolders(target);
  const failed = (error: unknown, path: string): unknown =>
    notWritten(error, join(folder, path), `Change that, remove \`${folder}\`, which has not all, and export again.`);
  await withRoot(target, (root) => writeEntries(snapshots, entries, root, failed));
  if (json) return printJson(terminal, paths);
  for (const path of paths) print(terminal, safeName(path));
  tell(terminal, `Wrote ${String(paths.length)} ${paths.length === 1 ? 'file' : 'files'} to ${safeName(folder)}.`);
  tellMissing(snapshots.missing, terminal);
}

async function requireEmpty(target: string, typed: string): Promise<void> {
  const entries = await readdir(target).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []; // Node's own errors have a code
    throw usageError(`Expected \`${typed}\` to be a folder, or nothing yet.`);
  });
  if (entries.length > 0)
    throw usageError(
      `Expected \`${typed}\` to be empty, got ${String(entries.length)} entries.`,
      'Name a new folder: nothing is written over.',
    );
}

async function wantedOf(snapshots: Snapshots, { at, changed }: Pick<Export, 'at' | 'changed'>): Promise<Entry[]> {
  const entries = await entriesOf(snapshots.git, snapshots[at]);
  if (!changed) return entries;
  const missing = at === 'end' ? 'deleted' : 'added';
  const paths = new Set((await changesOf(snapshots)).flatMap(({ path, change }) => (change === missing ? [] : [path])));
  return entries.filter(({ path }) => paths.has(path));
}

/**
 * Writes entries below a folder that is open: whoever changes it meanwhile, a link in it, say, gets nothing written
 * elsewhere. Git only gives their content.
 */
async function writeEntries(
  { git }: Snapshots,
  entries: Entry[],
  root: Folder,
  failed: (error: unknown, path: string) => unknown,
): Promise<void> {
  await withContents(git, entries, ({ path, mode }, content) =>
    inFolderBelow(root, path, { make: true }, (folder, name) => writeEntry(folder.at(name), mode, content)).catch(
      (error: unknown) => {
        throw failed(error, path);
      },
    ),
  );
}

/**
 * Makes a file that is not there yet, whole or not at all. Who may read and write it, and run it where it is a program,
 * is said by `permissions`; without, the person's mask says it.
 */
export async function writeEntry(path: string, mode: string, content: Buffer, permissions?: number): Promise<void> {
  if (mode === FOLDER_OF_ITS_OWN) return mkdir(path);
  if (mode === LINK) return symlink(content.toString(), path);
  const plain = (permissions ?? 0o666) & 0o666;
  const wanted = mode === EXECUTABLE ? plain | ((plain & 0o444) >> 2) : plain;
  const handle = await open(path, 'wx', wanted);
  try {
    await handle.writeFile(content);
    if (permissions !== undefined) await handle.chmod(wanted);
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}
