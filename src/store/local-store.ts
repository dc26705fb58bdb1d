import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAliveLog } from './alive-log.js';
import { createApprovalKey } from './approval-key.js';
import { createDeviceFiles } from './device-files.js';
import { writeAtomically } from './files.js';
import { createJournalFiles } from './journal-files.js';
import { createMadeFiles } from './made-files.js';
import { createLogFiles } from './log-files.js';
import { createPlanFiles } from './plan-files.js';
import { createMemoryFiles } from './memory-files.js';
import { createProviderFiles } from './provider-files.js';
import { createRecordedFiles } from './recorded-files.js';
import { makeEach, openRoot, PRIVATE_FILE } from './root.js';
import { createRunFiles } from './run-files.js';
import { createSessionFiles } from './session-files.js';
import { createSnapshots, snapshotFolder } from './snapshots.js';
import { createSubmittedFiles } from './submitted-files.js';
import { createTaintFiles } from './taint-files.js';
import { errorCode, StoreFailure, storeFailure } from './store-failure.js';
import type { Store } from './store.js';
import { createValueFiles } from './value-files.js';

/** Raised by one when a store of the old form can no longer be read. */
const STORE_VERSION = 1;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Opens the store in a state folder (`.perdure/`), and makes it when it is not there; several processes may do so at
 * once. Throws `StoreFailure` when the folder cannot be used. With `lookOnly` a store that is not there is not made: it
 * is empty, and has the id of no other.
 */
export async function openStore(stateDir: string, { lookOnly = false }: { lookOnly?: boolean } = {}): Promise<Store> {
  const id = (await readStoreId(stateDir)) ?? (lookOnly ? newId() : await createId(stateDir));
  openRoot(stateDir);
  return {
    id,
    folder: stateDir,
    ...createValueFiles(join(stateDir, 'values')),
    ...createPlanFiles(join(stateDir, 'plans')),
    ...createJournalFiles(join(stateDir, 'journal')),
    ...createRunFiles(join(stateDir, 'runs')),
    ...createLogFiles(join(stateDir, 'logs')),
    ...createAliveLog(join(stateDir, 'alive')),
    ...createApprovalKey(join(stateDir, 'approval.key')),
    ...createMadeFiles(join(stateDir, 'made')),
    ...createDeviceFiles(join(stateDir, 'devices')),
    ...createProviderFiles(join(stateDir, 'providers')),
    ...createSessionFiles(join(stateDir, 'sessions')),
    ...createMemoryFiles(join(stateDir, 'memory')),
    ...createRecordedFiles(join(stateDir, 'recorded')),
    ...createSnapshots(snapshotFolder(stateDir)),
    ...createTaintFiles(join(stateDir, 'memory')),
    ...createSubmittedFiles(join(stateDir, 'submitted')),
  };
}

const fileOfId = (stateDir: string): string => join(stateDir, 'store.json');

/** The id of the store in a state folder; null where there is none. Throws `StoreFailure` when it cannot be read. */
export async function readStoreId(stateDir: string): Promise<string | null> {
  const path = fileOfId(stateDir);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw storeFailure(error, 'read', path);
  }
  const { id, version } = parseIdentity(text);
  if (typeof id !== 'string' || !/^[a-z2-7]{8}$/.test(id)) {
    throw new StoreFailure('internal', `Expected \`${path}\` to name this store by an \`id\` of 8 characters; it does not. Move the folder away to begin a new one.`);
  }
  if (version !== STORE_VERSION) {
    throw new StoreFailure('internal', `Expected the store \`${stateDir}\` to have version \`${STORE_VERSION}\`, got \`${String(version)}\`: it belongs to another version of Perdure.`);
  }
  return id;
}

function parseIdentity(text: string): { id?: unknown; version?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function newId(): string {
  return Array.from(randomBytes(8), (byte) => BASE32[byte % BASE32.length]).join('');
}

/** Makes the folder and its identity; of several who do it at once one wins, and all get the winner's id. */
async function createId(stateDir: string): Promise<string> {
  try {
    makeEach(stateDir);
    // State is never committed, also where the project's own ignore file does not say so (decision 15).
    await writeFile(join(stateDir, '.gitignore'), '*\n', { mode: PRIVATE_FILE });
  } catch (error) {
    throw storeFailure(error, 'create', stateDir);
  }
  const id = newId();
  const mine = join(stateDir, `store.${id}.json`);
  await writeAtomically(mine, `${JSON.stringify({ id, version: STORE_VERSION })}\n`);
  try {
    await link(mine, fileOfId(stateDir)); // Unlike a rename, a link fails when somebody was faster.
    return id;
  } catch (error) {
    const winner = errorCode(error) === 'EEXIST' ? await readStoreId(stateDir) : null;
    if (winner === null) throw storeFailure(error, 'create', fileOfId(stateDir));
    return winner;
  } finally {
    await rm(mine, { force: true });
  }
}
