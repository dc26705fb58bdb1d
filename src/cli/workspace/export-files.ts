import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { withIndex } from '../../store/snapshot-git.js';
import { usageError } from '../exit-codes.js';
import { safeLine } from '../render/safe-text.js';
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
  const paths = await pathsOf(snapshots, { at, changed });
  await mkdir(target, { recursive: true });
  await writeFiles(snapshots, { tree: snapshots[at], paths, target });
  if (json) return printJson(terminal, paths);
  for (const path of paths) print(terminal, safeLine(path));
  tell(terminal, `Wrote ${String(paths.length)} ${paths.length === 1 ? 'file' : 'files'} to ${safeLine(folder)}.`);
}

async function requireEmpty(target: string, typed: string): Promise<void> {
  const entries = await readdir(target).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []; // Node's own errors have a code
    throw usageError(`Expected \`${typed}\` to be a folder, or nothing yet.`);
  });
  if (entries.length > 0) throw usageError(`Expected \`${typed}\` to be empty, got ${String(entries.length)} entries.`, 'Name a new folder: nothing is written over.');
}

async function pathsOf(snapshots: Snapshots, { at, changed }: Pick<Export, 'at' | 'changed'>): Promise<string[]> {
  if (!changed) return (await snapshots.git(['ls-tree', '-r', '-z', '--name-only', snapshots[at]])).toString().split('\0').slice(0, -1);
  const missing = at === 'end' ? 'deleted' : 'added';
  return (await changesOf(snapshots)).flatMap(({ path, change }) => (change === missing ? [] : [path]));
}

async function writeFiles({ git }: Snapshots, { tree, paths, target }: { tree: string; paths: string[]; target: string }): Promise<void> {
  await withIndex(tmpdir(), async (index) => {
    const place = { index, workTree: target, cwd: target };
    await git(['read-tree', tree], place);
    await git(['checkout-index', '--force', '-z', '--stdin'], { ...place, input: paths.map((path) => `${path}\0`).join('') });
  });
}
