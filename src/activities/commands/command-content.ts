import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CommandStep } from '../../plan/step.js';
import type { Json } from '../../plan/values/json.js';
import type { CommandRequest } from './command-request.js';
import { askedFor } from './command-request.js';

/** All that a command's output depends on but the files that it does not name. */
export async function commandContent(step: CommandStep, request: CommandRequest): Promise<Json> {
  return {
    ...askedFor(request),
    schema: step.schema,
    output_as: step.output_as ?? null,
    reads: await readsOf(step, request.cwd),
  };
}

/** Hashes of the files that a command says it reads, by path as it is written; null for one that is not there. */
async function readsOf({ reads }: CommandStep, cwd: string): Promise<Record<string, string | null>> {
  const hashes = await Promise.all(reads.map(async (file) => [file, await fileHash(resolve(cwd, file))] as const));
  return Object.fromEntries(hashes);
}

async function fileHash(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  // Not blocking: a pipe in its place would be waited for.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    if (!(await file.stat()).isFile()) return null;
    await pipeline(file.createReadStream({ autoClose: false }), hash);
    return hash.digest('hex');
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
