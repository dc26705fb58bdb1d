import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Hash } from '../../plan/values/value.js';
import { sealingKey } from '../encryption/key-ring.js';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../folders/root.js';
import { isHash, sha256 } from '../hash.js';
import { StoreFailure } from '../store-failure.js';
import { fileOf } from '../values/value-files.js';
import type { Values } from '../values/values.js';
import { keepValues, WRITTEN } from '../values/values.js';
import type { Database } from './database.js';
import { readBytes } from '../read-regular.js';

/**
 * Content-addressed values as rows. A local folder is their cache: whoever reads a value has its file from then on, and
 * what is not what its name says is read anew. Nothing there is synced, for nothing there is needed.
 */
export function createValues(database: Database, folder: string): Values {
  async function write(ref: Hash, content: Buffer): Promise<void> {
    await writeContent(database, ref, content);
    void keep(fileOf(folder, ref), content);
  }

  async function fetchValue(ref: Hash): Promise<Buffer> {
    const content = await readValue(database, ref);
    void keep(fileOf(folder, ref), content);
    return content;
  }

  return keepValues({
    write(ref, content, isKnown) {
      // What is in memory was written, or came from there.
      if (isKnown) return WRITTEN;
      const done = write(ref, content);
      return { named: done.catch(() => undefined), done }; // `done` tells
    },
    read: async (ref) => (await readCached(folder, ref)) ?? fetchValue(ref),
  });
}

/** Keeps the content of a value: a large one in the bucket, where there is one, and then its name alone in a row. */
export async function writeContent(database: Database, ref: string, content: Buffer): Promise<void> {
  const { bucket, sealing } = database;
  const kept = sealing.sealBytes(content);
  const isLarge = bucket !== null && content.length > bucket.aboveBytes;
  if (isLarge) await bucket.write(objectName(ref), kept);
  await database.query('insert into perdure.stored_values values ($1, $2) on conflict do nothing', [
    ref,
    isLarge ? null : kept,
  ]);
}

/** The name of a value's object: no store writes others there. */
export function objectName(ref: string): string {
  return `values/${ref.replace(':', '/')}`;
}

/** A content as it is kept, wherever that is. Throws a `StoreFailure` where it is in a bucket, and not there. */
export async function keptContent(database: Database, ref: string, content: Buffer | null): Promise<Buffer> {
  if (content !== null) return content;
  const { bucket, place } = database;
  if (bucket === null)
    throw new StoreFailure(
      'store-missing',
      `The stored value \`${ref}\` of the database at \`${place}\` is in a bucket, and perdure.yml names none: ` +
        'expected `store.blobs`.',
    );
  const kept = await bucket.read(objectName(ref));
  if (kept === null)
    throw new StoreFailure(
      'store-missing',
      `The stored value \`${ref}\` is missing: expected the object \`${objectName(ref)}\` at \`${bucket.place}\`.`,
    );
  return kept;
}

/** The bytes of a value, which are proved to be what its name says. Throws `StoreFailure`: never wrong data. */
async function readValue(database: Database, ref: Hash): Promise<Buffer> {
  const [row] = await database.query<{ content: Buffer | null }>(
    'select content from perdure.stored_values where hash = $1',
    [ref],
  );
  if (row === undefined)
    throw new StoreFailure(
      'store-missing',
      `The stored value \`${ref}\` is missing: expected a row in the database at \`${database.place}\`.`,
    );
  const content = contentIn(await keptContent(database, ref, row.content), ref, database);
  const found = sha256(content);
  if (found !== ref)
    throw new StoreFailure(
      'store-missing',
      `The stored value \`${ref}\` is corrupt: what the database at \`${database.place}\` has for it now has the ` +
        `content of \`${found}\`.`,
    );
  return content;
}

/** What is what its name says stands as it is; all else is sealed, or spoilt. */
export function contentIn(kept: Buffer, ref: string, { sealing }: Database): Buffer {
  return sealingKey(kept) === null || sha256(kept) === ref ? kept : sealing.openBytes(kept);
}

/** Null where there is none, or another's. */
async function readCached(folder: string, ref: Hash): Promise<Buffer | null> {
  if (!isHash(ref)) return null;
  const content = await readBytes(fileOf(folder, ref)).catch(() => null);
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
