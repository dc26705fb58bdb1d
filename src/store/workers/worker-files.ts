import { readdirSync, statSync, utimesSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { requirementIn, requirementKey } from '../../plan/placement/requirement.js';
import type { WorkerRecord } from '../../plan/placement/worker-record.js';
import { fileName, writeAtomically } from '../files.js';
import { errorCode } from '../store-failure.js';
import type { WorkerBook } from './worker-book.js';
import { SILENT_MS, workerIn } from './worker-book.js';
import { readTextNow } from '../read-regular.js';

/** Of who has ended without a word, a record is kept no longer. */
const FORGOTTEN_MS = 3_600_000;

/**
 * Workers of the store in a state folder, which are all on its machine: a file each, written again as long as it is
 * there, and a file for each requirement.
 */
export function createWorkerFiles(folder: string): WorkerBook {
  const fileOf = (id: string): string => join(folder, `${fileName(id)}.json`);
  const required = join(folder, 'required');
  const written = new Map<string, string>();
  return {
    async noteWorker(worker) {
      const content = JSON.stringify(worker);
      const file = fileOf(worker.id);
      if (written.get(worker.id) !== content || !touch(file)) await writeAtomically(file, content);
      written.set(worker.id, content);
      return true;
    },
    async forgetWorker(id) {
      written.delete(id);
      await rm(fileOf(id), { force: true });
    },
    async listWorkers() {
      const found: WorkerRecord[] = [];
      for (const name of namesIn(folder).filter((entry) => entry.endsWith('.json'))) {
        const file = join(folder, name);
        const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
        if (Date.now() - at > FORGOTTEN_MS) await rm(file, { force: true });
        const worker = Date.now() - at > SILENT_MS ? null : readWorker(file);
        if (worker !== null && isThere(worker)) found.push(worker);
      }
      return found.sort((one, other) => (one.since < other.since ? -1 : 1));
    },
    async requireWorkers(requires) {
      const key = requirementKey(requires);
      await writeAtomically(join(required, fileName(key)), key);
    },
    listRequired: () =>
      Promise.resolve(namesIn(required).map((name) => requirementIn(readTextNow(join(required, name))))),
  };
}

/** False where there is no such file. What says the same again needs no sync. */
function touch(file: string): boolean {
  try {
    const now = new Date();
    utimesSync(file, now, now);
    return true;
  } catch {
    return false;
  }
}

/** Of a process that was killed the file is still fresh. */
function isThere({ host, pid }: WorkerRecord): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

function readWorker(file: string): WorkerRecord | null {
  try {
    return workerIn(readTextNow(file));
  } catch {
    return null; // it has ended meanwhile
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && !entry.name.endsWith('.tmp') ? [entry.name] : [],
    );
  } catch {
    return [];
  }
}
