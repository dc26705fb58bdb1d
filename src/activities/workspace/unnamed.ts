import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow, realOf } from '../../store/folders/places.js';
import { errorCode } from '../../store/store-failure.js';
import { refusalOf } from '../refusal.js';
import type { Folder } from './open.js';

/** A folder, or a link to one, whose name is no UTF-8: Node opens nothing by a text that stands for such a name. */
export interface Unnamed {
  /** The absolute path of the folder that it lies in. */
  folder: string;
  name: Buffer;
}

const REPLACED = '\uFFFD';
const SLASH = Buffer.from('/');
/** As many characters as fit into a name with what is added. */
const SHOWN = 200;

/** The folders of such names in a folder, and the links to others, by its entries as texts. */
export function unnamedIn(folder: string, entries: Dirent[]): Unnamed[] {
  if (!entries.some(({ name }) => name.includes(REPLACED))) return [];
  return (entriesOf(Buffer.from(folder)) ?? [])
    .filter((entry) => !isUtf8(entry.name) && (entry.isDirectory() || entry.isSymbolicLink()))
    .map(({ name }) => ({ folder, name }));
}

/**
 * Tells whether a folder has an entry of one of these names, or one so many folders below it has. Of what a link leads
 * to it tells only in the workspace. What nobody may list may have any.
 */
export function holdsAny(
  { folder, name }: Unnamed,
  names: ReadonlySet<string>,
  { depth, workspace }: { depth: number; workspace: string },
): boolean {
  const path = joined(Buffer.from(folder), name);
  try {
    if (!statSync(path).isDirectory()) return false;
    const real = realpathSync.native(path, { encoding: 'buffer' });
    // The beginning of a path says as much as all of it.
    return isBelow(real.toString(), realOf(workspace)) && hasBelow(path, names, depth);
  } catch {
    return false; // it leads nowhere
  }
}

function hasBelow(path: Buffer, names: ReadonlySet<string>, depth: number): boolean {
  const entries = entriesOf(path);
  if (entries === null || entries.some(({ name }) => names.has(name.toString().toLowerCase()))) return true;
  return (
    depth > 0 && entries.some((entry) => entry.isDirectory() && hasBelow(joined(path, entry.name), names, depth - 1))
  );
}

/** The first folder of such a name on a way from a folder, given as bytes; nothing where all names are UTF-8. */
export function unnamedOn(from: string, way: Buffer): Unnamed[] {
  let folder = from;
  for (let at = 0; at <= way.length;) {
    const end = way.indexOf(SLASH, at);
    const name = way.subarray(at, end === -1 ? way.length : end);
    if (!isUtf8(name)) return [{ folder, name }];
    folder = join(folder, name.toString());
    at += name.length + 1;
  }
  return [];
}

/** A name to show for one that is no UTF-8: bytes beyond ASCII as `%FF`. */
export function readableName(name: Buffer): string {
  const shown = [...name].map((byte) =>
    byte < 128 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`,
  );
  return shown.join('').slice(0, SHOWN);
}

/** Gives an entry of an open folder a name by which it can be opened; null where it is gone. Throws a refusal. */
export function renameReadable(folder: Folder, name: Buffer): string | null {
  const readable = `${readableName(name)}-${randomBytes(4).toString('hex')}`;
  try {
    renameSync(joined(Buffer.from(folder.at('.')), name), folder.at(readable));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw refusalOf(error, join(folder.shown, readableName(name)));
  }
  return readable;
}

function joined(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, SLASH, name]);
}

/** Null where it cannot be listed. */
function entriesOf(path: Buffer): Dirent<Buffer>[] | null {
  try {
    return readdirSync(path, { withFileTypes: true, encoding: 'buffer' });
  } catch {
    return null;
  }
}
