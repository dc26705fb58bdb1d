import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usageError } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/**
 * The text of a file that a person named; `name` is what messages call it: "the file of `--inputs`". A pipe or a device
 * is not waited for. Throws a usage error for what is not there, no regular file, or no UTF-8 text.
 */
export async function readGivenFile(file: string, name: string, { cwd }: Pick<Terminal, 'cwd'>): Promise<string> {
  const path = resolve(cwd, file);
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  const found = await stat(path).catch(() => null);
  if (found === null) throw usageError(`${capital} is not there: \`${file}\`.`);
  if (!found.isFile()) throw usageError(`Expected ${name} to be a regular file, got \`${file}\`.`);
  const content = await readFile(path).catch(() => null);
  if (content === null) throw usageError(`${capital} cannot be read: \`${file}\`.`, 'Mind its permissions.');
  return decode(content, `\`${file}\``);
}

/** Bytes as text. Throws a usage error for what is no UTF-8. */
export function decode(content: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw usageError(`Expected ${name} to be UTF-8 text.`);
  }
}
