import { createHash } from 'node:crypto';
import { lstat, readFile, readlink, rename, rmdir, unlink } from 'node:fs/promises';
import type { Folder } from '../../activities/workspace/open.js';
import { inFolderBelow, openFile, withRoot } from '../../activities/workspace/open.js';
import { FileRefusal, MissingRefusal } from '../../activities/workspace/refusal.js';
import { refusal } from '../exit-codes.js';
import type { Git } from '../../store/git/git.js';
import type { RawChange, RawEntry } from '../../store/git/raw-diff.js';
import { rawChanges } from '../../store/git/raw-diff.js';
import { safeName } from '../text/safe-text.js';
import { plural } from '../text/format.js';
import { noteApplied } from '../../store/worktrees/applied.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import type { Snapshots } from './compare.js';
import { diffOf, findSnapshots } from './compare.js';
import type { Entry } from './contents.js';
import { EXECUTABLE, LINK, withContents } from './contents.js';
import { writeEntry } from './export-files.js';

/** What a path is; null where nothing is there. */
type Standing = RawEntry | null;

const MOST_NAMED = 10;

/**
 * `workspace apply`: changes the project's files as the run did, by its commits where it has made some. First it looks
 * at each: one that is neither as the run found it nor as it left it was changed here, and then nothing is written.
 * Done again it goes on where it was ended.
 */
export async function applyChanges(run: string, json: boolean, terminal: Terminal): Promise<void> {
  const snapshots = await findSnapshots(run, terminal);
  const { branch, isClosed } = snapshots;
  if (branch === undefined)
    throw refusal(
      `\`${run}\` worked in the project's folder: what it changed is there.`,
      `perdure workspace show ${run}`,
    );
  if (!isClosed)
    throw refusal(`\`${snapshots.run}\` has not ended.`, `Follow it with \`perdure watch ${snapshots.run}\`.`);
  const changes = await changesIn(snapshots);
  const open = await withRoot(snapshots.root, (root) => openChanges(root, changes, snapshots.run));
  await withRoot(snapshots.root, (root) => write(root, open, snapshots));
  await noteApplied(branch.places, branch.tip);
  const paths = open.map(({ path }) => path);
  if (json) return printJson(terminal, paths);
  for (const path of paths) print(terminal, safeName(path));
  const already = changes.length - open.length;
  tell(
    terminal,
    `Changed ${plural(open.length, 'file')} as \`${branch.name}\` has them` +
      `${already === 0 ? '' : `; ${plural(already, 'file')} were so already`}. Nothing is committed here.`,
  );
}

async function changesIn(snapshots: Snapshots): Promise<RawChange[]> {
  return rawChanges((await diffOf(snapshots, ['-z', '--raw', '--no-abbrev'])).toString());
}

/** What is still to be done. Throws where somebody has changed a file since the run began, and names those. */
async function openChanges(root: Folder, changes: RawChange[], run: string): Promise<RawChange[]> {
  const open: RawChange[] = [];
  const foreign: string[] = [];
  for (const change of changes) {
    const now = await standingAt(root, change.path);
    if (now === 'other') foreign.push(change.path);
    else if (isSame(now, change.after)) continue;
    else if (isSame(now, change.before)) open.push(change);
    else foreign.push(change.path);
  }
  if (foreign.length === 0) return open;
  const more = foreign.length > MOST_NAMED ? ` and ${String(foreign.length - MOST_NAMED)} more` : '';
  throw refusal(
    `${plural(foreign.length, 'file')} here ${foreign.length === 1 ? 'is' : 'are'} not as \`${run}\` found ` +
      `${foreign.length === 1 ? 'it' : 'them'}: ` +
      `${foreign
        .slice(0, MOST_NAMED)
        .map((path) => `\`${safeName(path)}\``)
        .join(', ')}${more}. Nothing was changed.`,
    `Merge by hand: \`perdure workspace diff ${run} | git apply --3way\`, or put your changes aside and apply again.`,
  );
}

function isSame(one: Standing, other: Standing): boolean {
  return one?.mode === other?.mode && one?.hash === other?.hash;
}

/** What stands at a path now, as git would name it; `other` for what no tree holds. No link is followed. */
async function standingAt(root: Folder, path: string): Promise<Standing | 'other'> {
  try {
    return await inFolderBelow(root, path, {}, async (folder, name): Promise<Standing | 'other'> => {
      const found = await lstat(folder.at(name)).catch(() => null);
      if (found === null) return null;
      if (found.isSymbolicLink()) return { mode: LINK, hash: blobHash(Buffer.from(await readlink(folder.at(name)))) };
      const { handle, mode } = await openFile(folder, name);
      try {
        return { mode: (mode & 0o100) === 0 ? '100644' : EXECUTABLE, hash: blobHash(await readFile(handle)) };
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    if (error instanceof MissingRefusal) return null;
    if (error instanceof FileRefusal) return 'other';
    throw error;
  }
}

/** Git's name of a content. */
function blobHash(content: Buffer): string {
  return createHash('sha1')
    .update(`blob ${String(content.length)}\0`)
    .update(content)
    .digest('hex');
}

/** First what goes, since a folder may come in its place. */
async function write(root: Folder, changes: RawChange[], { git }: Snapshots): Promise<void> {
  for (const { path, after } of changes) if (after === null) await remove(root, path);
  const sizes = changes.flatMap(({ path, after }) => (after === null ? [] : [{ ...after, path, bytes: 0 }]));
  const entries = await sized(git, sizes);
  await withContents(git, entries, ({ path, mode }, content) =>
    inFolderBelow(root, path, { make: true }, async (folder, name) => {
      const made = folder.at(`.${name.slice(0, 100)}.perdure`);
      await unlink(made).catch(() => undefined);
      await writeEntry(made, mode, content);
      await rename(made, folder.at(name));
    }),
  );
}

async function sized(git: Git, entries: Entry[]): Promise<Entry[]> {
  if (entries.length === 0) return [];
  const lines = (
    await git(['cat-file', '--batch-check=%(objectsize)'], { input: entries.map(({ hash }) => `${hash}\n`).join('') })
  )
    .toString()
    .split('\n');
  return entries.map((entry, index) => ({ ...entry, bytes: Number(lines[index]) || 0 }));
}

/** Removes a file, and the folders that it leaves empty. */
async function remove(root: Folder, path: string): Promise<void> {
  const parts = path.split('/');
  await inFolderBelow(root, path, {}, (folder, name) => unlink(folder.at(name)));
  for (parts.pop(); parts.length > 0; parts.pop()) {
    const isGone = await inFolderBelow(root, parts.join('/'), {}, (folder, name) => rmdir(folder.at(name))).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}
