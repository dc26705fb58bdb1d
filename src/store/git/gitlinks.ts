import { isUtf8 } from 'node:buffer';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainNow } from '../read-plain.js';
import { entryAt } from '../folders/entry-at.js';
import { realOf } from '../folders/places.js';
import type { Repository } from './repository.js';

const INDEX_BYTES = 256 * 1024 * 1024;
const CONFIG_BYTES = 1024 * 1024;
const MODE_AT = 24;
/** What is known of a file, before its hash. */
const STAT_BYTES = 40;
const FLAGS_BYTES = 2;
const IS_LONGER = 0x4000;
const GITLINK = 0o160000;
/** No file has a longer path. */
const PATH_BYTES = 4096;

/** The paths of repositories in another one, from its root on. */
export interface Gitlinks {
  links: string[];
  /** The bytes of those that are no UTF-8: by a text none of them can be opened. */
  unnamed: Buffer[];
}

/** What an index named when it was read, by its path. */
const known = new Map<string, Gitlinks & { mark: string }>();

/**
 * The paths at which a repository has other ones, its submodules and what somebody has added like them, as its index
 * names them: into these git goes by itself. The index is read as data; a split one names more, perhaps.
 */
export function gitlinksOf({ folder, common }: Pick<Repository, 'folder' | 'common'>): Gitlinks {
  const files = namesIn(folder).filter((name) => name === 'index' || name.startsWith('sharedindex.'));
  const found = files.map((name) => linksOf(realOf(join(folder, name)), common));
  return {
    links: [...new Set(found.flatMap(({ links }) => links))],
    unnamed: found.flatMap(({ unnamed }) => unnamed),
  };
}

function linksOf(path: string, common: string): Gitlinks {
  const found = entryAt(path);
  const mark = `${found?.ino} ${found?.size} ${found?.ctimeMs}`;
  const last = known.get(path);
  if (last?.mark === mark) return last;
  const bytes = readPlainNow(path, INDEX_BYTES);
  const config = readPlainNow(join(common, 'config'), CONFIG_BYTES)?.toString() ?? '';
  const all = bytes === null ? [] : gitlinksIn(bytes, /objectformat\s*=\s*"?sha256/i.test(config) ? 32 : 20);
  const links = all.filter((link) => isUtf8(link)).map((link) => link.toString());
  const linked = { mark, links, unnamed: all.filter((link) => !isUtf8(link)) };
  known.set(path, linked);
  return linked;
}

/** The paths of other repositories in the bytes of an index whose hashes have so many bytes (gitformat-index(5)). */
function gitlinksIn(index: Buffer, hashBytes: number): Buffer[] {
  const links: Buffer[] = [];
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return links;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  /** The beginning of the last path, and how long that was. */
  let path: Buffer = Buffer.alloc(0);
  let length = 0;
  let at = 12;
  for (let entry = 0; entry < count; entry += 1) {
    const start = at;
    const flagsAt = start + STAT_BYTES + hashBytes;
    if (flagsAt + FLAGS_BYTES > index.length) break;
    const isLonger = version > 2 && (index.readUInt16BE(flagsAt) & IS_LONGER) !== 0;
    at = flagsAt + FLAGS_BYTES * (isLonger ? 2 : 1);
    let kept = 0;
    if (version === 4) {
      const { value, next } = numberAt(index, at);
      kept = Math.max(0, length - value);
      at = next;
    }
    const end = index.indexOf(0, at);
    if (end === -1) break;
    const rest = index.subarray(at, Math.min(end, at + PATH_BYTES));
    path = kept === 0 ? rest : Buffer.concat([path.subarray(0, kept), rest]).subarray(0, PATH_BYTES);
    length = kept + end - at;
    // Before the fourth version entries are filled up to eights, by one byte at least.
    at = version === 4 ? end + 1 : start + Math.floor((end - start + 8) / 8) * 8;
    if (index.readUInt32BE(start + MODE_AT) === GITLINK && length <= PATH_BYTES) links.push(path);
  }
  return links;
}

/** A number in as many bytes as it needs, as git writes them. */
function numberAt(bytes: Buffer, at: number): { value: number; next: number } {
  let byte = bytes[at] ?? 0;
  let value = byte & 127;
  let next = at + 1;
  while ((byte & 128) !== 0) {
    byte = bytes[next] ?? 0;
    value = (value + 1) * 128 + (byte & 127);
    next += 1;
  }
  return { value, next };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
