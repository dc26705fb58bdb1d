import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Hash } from '../../plan/values/value.js';
import { beginToWrite } from '../files.js';
import { isHash, sha256 } from '../hash.js';
import { movedRoot } from '../folders/root.js';
import { errorCode, StoreFailure, storeFailure } from '../store-failure.js';
import type { Values } from './values.js';
import { keepValues, WRITTEN } from './values.js';
import { readBytes, readBytesNow } from '../read-regular.js';

/** Content-addressed values: `<folder>/ab/<hex>` holds the canonical JSON whose SHA-256 is its name. */
export function createValueFiles(folder: string): Values {
  return keepValues({
    write(ref, content) {
      const path = fileOf(folder, ref);
      // A file that has its final name is whole (it was synced before it was renamed), so it need not be written again.
      // That it was known once is not enough: somebody may have removed it, or a disk have spoilt it.
      return holds(path, content) ? WRITTEN : beginToWrite(path, content);
    },
    read: (ref) => readVerified(fileOf(folder, ref), ref),
  });
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
    content = await readBytes(path);
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
      `The stored value \`${ref}\` is corrupt: the file \`${path}\` now has the content of \`${found}\`. Bring it ` +
        `back from a backup, or start the run again: who makes the same value writes it anew.`,
    );
  return content;
}

function holds(path: string, content: Buffer): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size === content.length && readBytesNow(path).equals(content);
  } catch {
    return false;
  }
}
