import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CommandStep } from '../../plan/step.js';
import type { Json } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import { noFile } from '../../store/read-regular.js';
import type { Store } from '../../store/store.js';
import type { StepCall, StepOutput } from '../contract.js';
import type { FileHashes } from '../reuse/content-key.js';
import { reusedOutput } from '../reuse/content-key.js';
import type { CommandRequest } from './command-request.js';
import { askedFor } from './command-request.js';
import { folderHash, incomparable } from './folder-hash.js';

/** All that a command's output depends on but the files that it does not name. */
export async function commandContent(step: CommandStep, request: CommandRequest): Promise<Json> {
  return {
    ...askedFor(request),
    schema: step.schema,
    output_as: step.output_as ?? null,
    reads: await hashesOf(step.reads, request.cwd),
  };
}

/** Hashes of files and folders that a command names, by path as it is written; null for one that is not there. */
export async function hashesOf(files: string[], cwd: string): Promise<FileHashes> {
  const hashes = await Promise.all(files.map(async (file) => [file, await contentHash(resolve(cwd, file))] as const));
  return Object.fromEntries(hashes);
}

/** The result of a command that an earlier run has to take over, while the files that it wrote are as it left them. */
export function reusedCommand(
  store: Store,
  call: StepCall,
  key: Hash,
  { cwd }: Pick<CommandRequest, 'cwd'>,
): Promise<StepOutput | null> {
  return reusedOutput(store, call, key, (wrote) => areAsLeft(wrote, cwd));
}

/** Tells whether files are there as they were when `hashes` were taken; what was not there then never is. */
async function areAsLeft(hashes: FileHashes, cwd: string): Promise<boolean> {
  const now = await hashesOf(Object.keys(hashes), cwd);
  return Object.entries(hashes).every(([file, hash]) => hash !== null && now[file] === hash);
}

/**
 * SHA-256 of a file, or of all that is below a folder, in hexadecimal. Null for what is not there, or what we may not
 * read; of what is neither nobody can tell whether it has changed. Throws a `StoreFailure` where it cannot be read now.
 */
async function contentHash(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  // Not blocking: a pipe in its place would be waited for.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) =>
    noFile(error, path),
  );
  if (file === null) return null;
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) return await folderHash(path, contentHash);
    if (!stats.isFile()) return incomparable();
    await pipeline(file.createReadStream({ autoClose: false }), hash);
    return hash.digest('hex');
  } catch (error) {
    return noFile(error, path);
  } finally {
    await file.close();
  }
}
