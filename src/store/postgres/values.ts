import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson, INLINE_BYTES } from '../../plan/values/json.js';
import type { Hash, StoredValue } from '../../plan/values/value.js';
import { previewOf } from '../../plan/values/value.js';
import type { Writing } from '../files.js';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../folders/root.js';
import { isHash, sha256 } from '../hash.js';
import { createLruCache } from '../lru-cache.js';
import { StoreFailure } from '../store-failure.js';
import type { ValueFiles } from '../values/value-files.js';
import { asRead, fileOf, textOf } from '../values/value-files.js';
import type { Database } from './database.js';

/** As of the values in files. */
const CACHE_BYTES = 16 * 1024 * 1024;

/**
 * Content-addressed values as rows. A local folder is their cache: whoever reads a value has its file from then on, and
 * what is not what its name says is read anew. Nothing there is synced, for nothing there is needed.
 */
export function createValues(database: Database, folder: string): ValueFiles {
  const cache = createLruCache<Json>(CACHE_BYTES);

  async function write(ref: Hash, value: Json, content: Buffer): Promise<void> {
    // What is in memory was written, or came from there.
    if (cache.get(ref) !== undefined) return;
    await database.query('insert into perdure.stored_values values ($1, $2) on conflict do nothing', [ref, content]);
    cache.set(ref, asRead(value, content), content.length);
    void keep(fileOf(folder, ref), content);
  }

  function begin(value: Json, content: Buffer): { stored: StoredValue } & Writing {
    const ref = sha256(content);
    const length = Array.isArray(value) ? { length: value.length } : {};
    const stored = { ref, bytes: content.length, preview: previewOf(value), ...length };
    const done = write(ref, value, content);
    const named = done.catch(() => undefined); // told by `done`
    return { stored, named, done };
  }

  async function store(value: Json, content: Buffer): Promise<StoredValue> {
    const { stored, done } = begin(value, content);
    await done;
    return stored;
  }

  async function get(ref: Hash): Promise<Json> {
    const kept = cache.get(ref);
    if (kept !== undefined) return kept;
    const content = (await readCached(folder, ref)) ?? (await fetchValue(ref));
    const value = JSON.parse(content.toString('utf8')) as Json; // the bytes are those that were written
    cache.set(ref, value, content.length);
    return value;
  }

  async function fetchValue(ref: Hash): Promise<Buffer> {
    const content = await readValue(database, ref);
    void keep(fileOf(folder, ref), content);
    return content;
  }

  return {
    get,
    async put(value) {
      const content = Buffer.from(canonicalJson(value));
      return content.length <= INLINE_BYTES ? { value } : store(value, content);
    },
    putAlways: (value) => store(value, Buffer.from(canonicalJson(value))),
    beginPut: (value) => begin(value, Buffer.from(canonicalJson(value))),
    getText: async (text) => (typeof text === 'string' ? text : textOf(text.text, await get(text.text))),
  };
}

/** The bytes of a row, which are proved to be what its name says. Throws `StoreFailure`: never wrong data. */
async function readValue(database: Database, ref: Hash): Promise<Buffer> {
  const [row] = await database.query<{ content: Buffer }>('select content from perdure.stored_values where hash = $1', [
    ref,
  ]);
  if (row === undefined)
    throw new StoreFailure(
      'store-missing',
      `The stored value \`${ref}\` is missing: expected a row in the database at \`${database.place}\`.`,
    );
  const found = sha256(row.content);
  if (found !== ref)
    throw new StoreFailure(
      'store-missing',
      `The stored value \`${ref}\` is corrupt: its row in the database at \`${database.place}\` now has the content ` +
        `of \`${found}\`.`,
    );
  return row.content;
}

/** Null where there is none, or another's. */
async function readCached(folder: string, ref: Hash): Promise<Buffer | null> {
  if (!isHash(ref)) return null;
  const content = await readFile(fileOf(folder, ref)).catch(() => null);
  return content !== null && sha256(content) === ref ? content : null;
}

/** Whoever cannot keep it reads it again. */
async function keep(path: string, content: Buffer): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    await writeFile(draft, content, { mode: PRIVATE_FILE });
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}
