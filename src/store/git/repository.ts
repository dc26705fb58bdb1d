import { existsSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { realOf } from '../folders/places.js';
import { readPlain } from '../read-plain.js';

/** A reference's text is a line. */
const LINE_BYTES = 4 * 1024;
const REFS_BYTES = 64 * 1024 * 1024;
const INDEX_BYTES = 256 * 1024 * 1024;

/** A repository that others have made: we read its files as data, and never let git read its configuration. */
export interface Repository {
  /** Where its files are. */
  top: string;
  /** `.git`, or the folder that a file of that name points to. */
  folder: string;
  /** Where it keeps what its work trees share. */
  common: string;
}

/** The top of the git repository that a folder is in; null outside of any. Starts no process. */
export function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : repositoryOf(parent);
}

/** Finds the parts of the repository whose top this is. */
export async function repositoryAt(top: string): Promise<Repository> {
  const inTop = join(top, '.git');
  const pointer = /^gitdir: (.+)\n?$/.exec(await textOf(inTop))?.[1];
  const folder = pointer === undefined ? inTop : ledTo(top, pointer);
  const common = (await textOf(join(folder, 'commondir'))).trim();
  return { top, folder, common: common === '' ? folder : ledTo(folder, common) };
}

/** As the system goes a path from a folder: `..` behind a link leads out of where that leads. */
export function ledTo(from: string, path: string): string {
  return realOf(isAbsolute(path) ? path : `${from}/${path}`);
}

/** The commit that is checked out, or what is known of it; empty where there is none. */
export async function headOf({ folder, common }: Repository): Promise<string> {
  const head = (await textOf(join(folder, 'HEAD'))).trim();
  const name = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1];
  if (name === undefined || name.split('/').includes('..')) return head;
  const loose = (await textOf(join(folder, name))).trim() || (await textOf(join(common, name))).trim();
  if (loose !== '') return loose;
  const packed = (await readPlain(join(common, 'packed-refs'), REFS_BYTES))?.toString() ?? '';
  const line = packed.split('\n').find((entry) => entry.endsWith(` ${name}`));
  // Of a repository that keeps references in tables, the names of those change with every commit.
  return line?.split(' ', 1)[0] ?? (await textOf(join(common, 'reftable', 'tables.list'))).trim();
}

/** What git knew of the files when it last looked, and when that was; null where it never did. */
export async function indexOf({ folder }: Repository): Promise<{ bytes: Buffer; at: Date } | null> {
  const path = join(folder, 'index');
  const found = await lstat(path).catch(() => null);
  const bytes = found === null ? null : await readPlain(path, INDEX_BYTES);
  return found === null || bytes === null ? null : { bytes, at: found.mtime };
}

/** The patterns that are ignored here and in no file of the project. */
export async function excludesOf({ common }: Repository): Promise<Buffer | null> {
  return readPlain(join(common, 'info', 'exclude'), REFS_BYTES);
}

async function textOf(path: string): Promise<string> {
  return (await readPlain(path, LINE_BYTES))?.toString() ?? '';
}
