import type { Json } from '../../plan/values/json.js';
import { canonicalJson, INLINE_BYTES } from '../../plan/values/json.js';
import type { Hash, StoredValue, Text, Value } from '../../plan/values/value.js';
import { previewOf } from '../../plan/values/value.js';
import type { Writing } from '../files.js';
import { sha256 } from '../hash.js';
import { createLruCache } from '../lru-cache.js';
import { StoreFailure } from '../store-failure.js';

/** Bytes of JSON that a worker keeps in memory, so that values passed from step to step are not read again. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** Values by the SHA-256 of their canonical JSON. */
export interface Values {
  put(value: Json): Promise<Value>;
  putAlways(value: Json): Promise<StoredValue>;
  beginPut(value: Json): { stored: StoredValue } & Writing;
  get(ref: Hash): Promise<Json>;
  getText(text: Text): Promise<string>;
}

/** Where the bytes of values are kept. */
export interface ValuePlace {
  /** Writes them under their hash; `isKnown`: they were written or read before. */
  write: (ref: Hash, content: Buffer, isKnown: boolean) => Writing;
  /** Reads what is proved to have that hash. Throws a `StoreFailure`: never wrong data. */
  read: (ref: Hash) => Promise<Buffer>;
}

/** What need not be written. */
export const WRITTEN: Writing = { named: Promise.resolve(), done: Promise.resolve() };

/** Values that are kept in a place, and the latest of them in memory. */
export function keepValues({ write, read }: ValuePlace): Values {
  const cache = createLruCache<Json>(CACHE_BYTES);

  function begin(value: Json, content: Buffer): { stored: StoredValue } & Writing {
    const ref = sha256(content);
    const stored: StoredValue = {
      ref,
      bytes: content.length,
      preview: previewOf(value),
      ...(Array.isArray(value) ? { length: value.length } : {}),
      ...(typeof value === 'string' ? { type: 'string' } : {}),
    };
    const { named, done } = write(ref, content, cache.get(ref) !== undefined);
    return { stored, named, done: done.then(() => cache.set(ref, asRead(value, content), content.length)) };
  }

  async function store(value: Json, content: Buffer): Promise<StoredValue> {
    const { stored, done } = begin(value, content);
    await done;
    return stored;
  }

  async function get(ref: Hash): Promise<Json> {
    const kept = cache.get(ref);
    if (kept !== undefined) return kept;
    const content = await read(ref);
    const value = parse(content);
    cache.set(ref, value, content.length);
    return value;
  }

  return {
    get,
    async put(value) {
      const content = Buffer.from(canonicalJson(value));
      return content.length <= INLINE_BYTES ? { value: asRead(value, content) } : store(value, content);
    },
    putAlways: (value) => store(value, Buffer.from(canonicalJson(value))),
    beginPut: (value) => begin(value, Buffer.from(canonicalJson(value))),
    getText: async (text) => (typeof text === 'string' ? text : textOf(text.text, await get(text.text))),
  };
}

function textOf(ref: Hash, value: Json): string {
  if (typeof value !== 'string')
    throw new StoreFailure('internal', `Expected the stored value \`${ref}\` to be a text, got ${typeof value}.`);
  return value;
}

/** The bytes are those that were written under this name, and only JSON is ever written. */
function parse(content: Buffer): Json {
  return JSON.parse(content.toString('utf8')) as Json;
}

/**
 * A value as another process reads it, which is `asStored` of it: a worker that takes over must ask the same as the one
 * before, down to the letter (I8). The text is there already, and may be long.
 */
function asRead(value: Json, content: Buffer): Json {
  return typeof value === 'object' ? parse(content) : value;
}
