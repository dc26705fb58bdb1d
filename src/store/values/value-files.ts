import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson, INLINE_BYTES } from '../../plan/values/json.js';
import type { Hash, StoredValue, Text, Value } from '../../plan/values/value.js';
import { previewOf } from '../../plan/values/value.js';
import type { Writing } from '../files.js';
import { beginToWrite } from '../files.js';
import { isHash, sha256 } from '../hash.js';
import { createLruCache } from '../lru-cache.js';
import { movedRoot } from '../folders/root.js';
import { errorCode, StoreFailure, storeFailure } from '../store-failure.js';

/** Bytes of JSON that a worker keeps in memory, so that values passed from step to step are not read again. */
const CACHE_BYTES = 16 * 1024 * 1024;

export interface ValueFiles {
  put(value: Json): Promise<Value>;
  putAlways(value: Json): Promise<StoredValue>;
  beginPut(value: Json): { stored: StoredValue } & Writing;
  get(ref: Hash): Promise<Json>;
  getText(text: Text): Promise<string>;
}

/** Content-addressed values: `<folder>/ab/<hex>` holds the canonical JSON whose SHA-256 is its name. */
export function createValueFiles(folder: string): ValueFiles {
  const cache = createLruCache<Json>(CACHE_BYTES);

  function write(ref: Hash, value: Json, content: Buffer): Writing {
    const path = fileOf(folder, ref);
    // A file that has its final name is whole (it was synced before it was renamed), so it need not be written again.
    const isThere = cache.get(ref) !== undefined || hasSize(path, content.length);
    const { named, done } = isThere
      ? { named: Promise.resolve(), done: Promise.resolve() }
      : beginToWrite(path, content);
    return { named, done: done.then(() => cache.set(ref, asRead(value, content), content.length)) };
  }

  function begin(value: Json, content: Buffer): { stored: StoredValue } & Writing {
    const ref = sha256(content);
    const stored: StoredValue = {
      ref,
      bytes: content.length,
      preview: previewOf(value),
      ...(Array.isArray(value) ? { length: value.length } : {}),
    };
    return { stored, ...write(ref, value, content) };
  }

  async function store(value: Json, content: Buffer): Promise<StoredValue> {
    const { stored, done } = begin(value, content);
    await done;
    return stored;
  }

  async function get(ref: Hash): Promise<Json> {
    const kept = cache.get(ref);
    if (kept !== undefined) return kept;
    const content = await readVerified(fileOf(folder, ref), ref);
    const value = parse(content);
    cache.set(ref, value, content.length);
    return value;
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

/** A stored value as the text that it is. Throws a `StoreFailure` where it is none. */
export function textOf(ref: Hash, value: Json): string {
  if (typeof value !== 'string')
    throw new StoreFailure('internal', `Expected the stored value \`${ref}\` to be a text, got ${typeof value}.`);
  return value;
}

/** The bytes are those that were written under this name, and only JSON is ever written. */
function parse(content: Buffer): Json {
  return JSON.parse(content.toString('utf8')) as Json;
}

/**
 * A value as another process reads it: canonical JSON sorts members, and their order shows in a text that is made from
 * it. A worker that takes over must ask the same as the one before, down to the letter (I8).
 */
export function asRead(value: Json, content: Buffer): Json {
  return typeof value === 'object' ? parse(content) : value;
}

/** The file of a hash. Anything that is not exactly a hash never reaches the file system. */
export function fileOf(folder: string, ref: string): string {
  if (!isHash(ref))
    throw new StoreFailure(
      'store-missing',
      `Expected the name of a stored value (\`sha256:\` and 64 hexadecimal digits), got ` +
        `\`${String(ref).slice(0, 80)}\`.`,
    );
  const hex = ref.slice('sha256:'.length);
  return join(folder, hex.slice(0, 2), hex);
}

/** Reads a file and proves that it is what its name says. Throws `StoreFailure`: never wrong data. */
export async function readVerified(path: string, ref: Hash): Promise<Buffer> {
  let content: Buffer;
  try {
    content = await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      throw (
        movedRoot(path) ??
        new StoreFailure('store-missing', `The stored value \`${ref}\` is missing: expected the file \`${path}\`.`, {
          cause: error,
        })
      );
    throw storeFailure(error, 'read', path);
  }
  const found = sha256(content);
  if (found !== ref)
    throw new StoreFailure(
      'store-missing',
      `The stored value \`${ref}\` is corrupt: the file \`${path}\` now has the content of \`${found}\`.`,
    );
  return content;
}

function hasSize(path: string, size: number): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size === size;
  } catch {
    return false;
  }
}
