import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Folder } from '../../activities/workspace/open.js';
import { inFolderBelow, withRoot } from '../../activities/workspace/open.js';
import { refusal, usageError } from '../exit-codes.js';
import { safeName } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import type { Snapshots } from './compare.js';
import { changesOf, findSnapshots } from './compare.js';

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
  const snapshots = await findSnapshots(run, terminal);
  const target = resolve(terminal.cwd, folder);
  await requireEmpty(target, folder);
  const entries = await wantedOf(snapshots, { at, changed });
  const paths = entries.map(({ path }) => path);
  await mkdir(target, { recursive: true });
  await withRoot(target, (root) => writeEntries(snapshots, entries, root));
  if (json) return printJson(terminal, paths);
  for (const path of paths) print(terminal, safeName(path));
  tell(terminal, `Wrote ${String(paths.length)} ${paths.length === 1 ? 'file' : 'files'} to ${safeName(folder)}.`);
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

/** One entry of a tree. */
interface Entry {
  mode: string;
  hash: string;
  bytes: number;
  path: string;
}

const FOLDER_OF_ITS_OWN = '160000';
const LINK = '120000';
const EXECUTABLE = '100755';
/** What is asked of git at once. */
const BATCH_BYTES = 32 * 1024 * 1024;

async function entriesOf({ git }: Snapshots, tree: string): Promise<Entry[]> {
  const lines = (await git(['ls-tree', '-r', '-z', '--long', '--full-tree', tree])).toString().split('\0').slice(0, -1);
  return lines.map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', , hash = '', bytes = ''] = line.slice(0, tab).split(/ +/);
    return { mode, hash, bytes: Number(bytes) || 0, path: line.slice(tab + 1) };
  });
}

async function wantedOf(snapshots: Snapshots, { at, changed }: Pick<Export, 'at' | 'changed'>): Promise<Entry[]> {
  const entries = await entriesOf(snapshots, snapshots[at]);
  if (!changed) return entries;
  const missing = at === 'end' ? 'deleted' : 'added';
  const paths = new Set((await changesOf(snapshots)).flatMap(({ path, change }) => (change === missing ? [] : [path])));
  return entries.filter(({ path }) => paths.has(path));
}

/**
 * Writes entries below a folder that is open: whoever changes it meanwhile, a link in it, say, gets nothing written
 * elsewhere. Git only gives their content.
 */
async function writeEntries({ git }: Snapshots, entries: Entry[], root: Folder): Promise<void> {
  for (let from = 0; from < entries.length;) {
    let [to, bytes] = [from, 0];
    while (to < entries.length && (to === from || bytes + (entries[to]?.bytes ?? 0) <= BATCH_BYTES))
      bytes += entries[to++]?.bytes ?? 0;
    const batch = entries.slice(from, to);
    const files = batch.filter(({ mode }) => mode !== FOLDER_OF_ITS_OWN);
    const answer = await git(['cat-file', '--batch'], {
      input: files.map(({ hash }) => `${hash}\n`).join(''),
      most: bytes + files.length * 128 + 1024,
    });
    let at = 0;
    const next = ({ mode, hash, bytes: size, path }: Entry): Buffer => {
      if (mode === FOLDER_OF_ITS_OWN) return Buffer.alloc(0);
      const head = answer.indexOf('\n', at) + 1;
      if (answer.toString('latin1', at, head) !== `${hash} blob ${size}\n`)
        throw refusal(`The content of \`${path}\` is missing from the snapshots.`);
      at = head + size + 1;
      return answer.subarray(head, head + size);
    };
    for (const entry of batch) {
      const content = next(entry);
      await inFolderBelow(root, entry.path, { make: true }, (folder, name) =>
        writeEntry(folder.at(name), entry.mode, content),
      );
    }
    from = to;
  }
}

async function writeEntry(path: string, mode: string, content: Buffer): Promise<void> {
  if (mode === FOLDER_OF_ITS_OWN) return mkdir(path);
  if (mode === LINK) return symlink(content.toString(), path);
  await writeFile(path, content, { flag: 'wx', mode: mode === EXECUTABLE ? 0o777 : 0o666 });
}
