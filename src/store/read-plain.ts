import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Of a project's instructions so much is looked at: a longer file is none that a model is told. */
export const INSTRUCTION_BYTES = 10 * 1024 * 1024;

/** The bytes of a regular file of at most `most` bytes; null for anything else, which is not waited for. */
export async function readPlain(path: string, most: number): Promise<Buffer | null> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: Infinity }));
    if (size > most) return null;
    const bytes = Buffer.alloc(size);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, size - length, null);
      length += bytesRead;
      if (bytesRead === 0 || length === size) return bytes.subarray(0, length);
    }
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

/** Reads a small regular file without waiting; null where it is none, or longer than `most` bytes. */
export function readPlainNow(path: string, most: number): Buffer | null {
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= most ? readFileSync(file) : null;
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
