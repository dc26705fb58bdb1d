import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, readlink, rename, rmdir, unlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Folder } from '../../activities/workspace/open.js';
import { entriesOf, inFolderBelow, openEntry, openFile, withRoot } from '../../activities/workspace/open.js';
import { FileRefusal, MissingRefusal } from '../../activities/refusal.js';
import { refusal } from '../exit-codes.js';
import type { Git } from '../../store/git/git.js';
import type { RawChange, RawEntry } from '../../store/git/raw-diff.js';
import { rawChanges } from '../../store/git/raw-diff.js';
import { safeName } from '../text/safe-text.js';
import { plural } from '../text/format.js';
import { noteApplied } from '../../store/worktrees/applied.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import { notWritten } from '../write-whole.js';
import type { Branch, Snapshots } from './compare.js';
import { diffOf, findSnapshots } from './compare.js';
import type { Entry } from './contents.js';
import { EXECUTABLE, LINK, withContents } from './contents.js';
import { writeEntry } from './export-files.js';
import { shellCommand } from '../../plan/text/shell-command.js';

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
      shellCommand('perdure workspace show', [run]),
    );
  if (!isClosed)
    throw refusal(
      `\`${snapshots.run}\` has not ended, or left no record of its end: ` +
        `\`${shellCommand('perdure show', [snapshots.run])}\` tells.`,
      `\`${shellCommand('perdure workspace diff', [snapshots.run])} | git apply\` takes its files as they are now.`,
    );
  const changes = await changesIn(snapshots);
  const { open, foreign } = await withRoot(snapshots.root, (root) => compare(root, changes));
  if (foreign.length > 0) throw notAsFound(foreign, snapshots, branch);
  await withRoot(snapshots.root, (root) => write(root, open, snapshots));
  await noteApplied(branch.places, branch.tip);
  const paths = open.map(({ path }) => path);
  if (json) return printJson(terminal, paths);
  for (const path of paths) print(terminal, safeName(path));
  const already = changes.length - open.length;
  const rest = already === 0 ? '' : `; ${plural(already, 'file')} ${already === 1 ? 'was' : 'were'} so already`;
  tell(
    terminal,
    `Changed ${plural(open.length, 'file')} as \`${branch.name}\` has them${rest}. Nothing is committed here.`,
  );
}

async function changesIn(snapshots: Snapshots): Promise<RawChange[]> {
  return rawChanges((await diffOf(snapshots, ['-z', '--raw', '--no-abbrev'])).toString());
}

/** What is still to be done, and what somebody has changed since the run began. */
async function compare(root: Folder, changes: RawChange[]): Promise<{ open: RawChange[]; foreign: string[] }> {
  const open: RawChange[] = [];
  const foreign: string[] = [];
  for (const change of changes) {
    const now = await standingAt(root, change.path);
    if (now !== 'other' && isSame(now, change.after)) continue;
    if (now !== 'other' && isSame(now, change.before)) open.push(change);
    else foreign.push(change.path);
  }
  const going = new Set(open.flatMap(({ path, after }) => (after === null ? [path] : [])));
  for (const { path, before, after } of open)
    if (before === null && after !== null)
      foreign.push(...(await inTheWay(root, path)).filter((inWay) => !going.has(inWay)));
  return { open, foreign: [...new Set(foreign)].sort() };
}

function notAsFound(foreign: string[], { run, root }: Snapshots, { made, name, repository }: Branch): Error {
  const more = foreign.length > MOST_NAMED ? ` and ${String(foreign.length - MOST_NAMED)} more` : '';
  const isOne = foreign.length === 1;
  const shown = foreign.slice(0, MOST_NAMED).map((path) => `\`${safeName(path)}\``);
  // With a history in common git knows what both began with.
  const merge =
    made.parent === null
      ? 'Put your changes aside and apply again, or take what fits: ' +
        `\`${shellCommand('perdure workspace diff', [run])} | git apply --reject\`.`
      : 'Put your changes aside and apply again, or commit them and merge: ' +
        `\`${shellCommand('git fetch', [relative(root, repository), name])} && git merge FETCH_HEAD\`.`;
  return refusal(
    `${plural(foreign.length, 'file')} here ${isOne ? 'is' : 'are'} not as \`${run}\` found ` +
      `${isOne ? 'it' : 'them'}: ${shown.join(', ')}${more}. Nothing was changed.`,
    merge,
  );
}

function isSame(one: Standing, other: Standing): boolean {
  return one?.mode === other?.mode && one?.hash === other?.hash;
}

/**
 * What stands at a path now, as git would name it: a folder there is no file, and neither is what a file in place of a
 * folder would hold. `other` for what no tree holds. No link is followed.
 */
async function standingAt(root: Folder, path: string): Promise<Standing | 'other'> {
  try {
    if ((await fileAbove(root, path)) !== null) return null;
    return await inFolderBelow(root, path, {}, async (folder, name): Promise<Standing> => {
      const found = await standsAt(folder, name);
      if (found === null || found.isDirectory()) return null;
      if (found.isSymbolicLink()) {
        const target = Buffer.from(await readlink(folder.at(name)));
        return { mode: LINK, hash: await blobHash(target.length, [target]) };
      }
      const { handle, size, mode } = await openFile(folder, name, { mayBeLinked: true });
      try {
        const content = handle.createReadStream({ autoClose: false, start: 0, end: size });
        return { mode: (mode & 0o100) === 0 ? '100644' : EXECUTABLE, hash: await blobHash(size, content) };
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

function standsAt(folder: Folder, name: string): Promise<Stats | null> {
  return lstat(folder.at(name)).catch(() => null);
}

/** The file or link that stands where a path has a folder; null where none does. */
async function fileAbove(root: Folder, path: string): Promise<string | null> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const above = parts.slice(0, depth).join('/');
    const found = await inFolderBelow(root, above, {}, standsAt);
    if (found?.isDirectory() !== true) return found === null ? null : above;
  }
  return null;
}

/** Files that stand where one is to be made: in place of a folder above it, or in a folder of its name. */
async function inTheWay(root: Folder, path: string): Promise<string[]> {
  const above = await fileAbove(root, path);
  if (above !== null) return [above];
  return inFolderBelow(root, path, {}, filesBelow).catch((error: unknown) => {
    if (error instanceof MissingRefusal) return [];
    throw error;
  });
}

async function filesBelow(folder: Folder, name: string): Promise<string[]> {
  return openEntry(folder, name, false, async (inner) => {
    const files: string[] = [];
    for (const entry of await entriesOf(inner))
      if (entry.kind === 'folder') files.push(...(await filesBelow(inner, entry.name)));
      else files.push(join(inner.shown, entry.name));
    return files;
  });
}

/** Git's name of a content, which need not fit into memory. */
async function blobHash(size: number, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
  const hash = createHash('sha1').update(`blob ${String(size)}\0`);
  for await (const part of content) hash.update(part);
  return hash.digest('hex');
}

/** First what goes, since a folder may come in its place. */
async function write(root: Folder, changes: RawChange[], { git }: Snapshots): Promise<void> {
  for (const change of changes) if (change.after === null) await remove(root, change);
  const sizes = changes.flatMap(({ path, after }) => (after === null ? [] : [{ ...after, path, bytes: 0 }]));
  const found = new Map(changes.map((change) => [change.path, change]));
  const entries = await sized(git, sizes);
  await withContents(git, entries, ({ path, mode }, content) =>
    inFolderBelow(root, path, { make: true }, async (folder, name) => {
      const made = folder.at(`.${createHash('sha1').update(name).digest('hex').slice(0, 16)}.perdure`);
      await unlink(made).catch(() => undefined);
      const before = await standsAt(folder, name);
      if (before?.isDirectory() === true) await removeEmpty(folder, name);
      await writeEntry(made, mode, content, before?.isFile() === true ? before.mode : undefined);
      try {
        await requireAsFound(root, found.get(path));
        await rename(made, folder.at(name));
      } catch (error) {
        await unlink(made);
        throw error;
      }
    }).catch((error: unknown) => {
      throw notWritten(error, path, 'Change that, and apply again: it goes on where it was ended.');
    }),
  );
}

/** Throws a refusal where somebody has changed a file since all were compared. */
async function requireAsFound(root: Folder, change: RawChange | undefined): Promise<void> {
  if (change === undefined) return;
  const now = await standingAt(root, change.path);
  if (now !== 'other' && (isSame(now, change.before) || isSame(now, change.after))) return;
  throw refusal(
    `\`${safeName(change.path)}\` was changed while the run's files were brought here: it stays as it is.`,
    'Put your changes aside and apply again: it goes on where it was ended.',
  );
}

/** Removes a folder that has folders alone. */
async function removeEmpty(folder: Folder, name: string): Promise<void> {
  await openEntry(folder, name, false, async (inner) => {
    for (const entry of await entriesOf(inner)) await removeEmpty(inner, entry.name);
  });
  await rmdir(folder.at(name));
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
async function remove(root: Folder, change: RawChange): Promise<void> {
  const { path } = change;
  const parts = path.split('/');
  await requireAsFound(root, change);
  await inFolderBelow(root, path, {}, (folder, name) => unlink(folder.at(name)));
  for (parts.pop(); parts.length > 0; parts.pop()) {
    const isGone = await inFolderBelow(root, parts.join('/'), {}, (folder, name) => rmdir(folder.at(name))).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}
