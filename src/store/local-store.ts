import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FILE, PRIVATE_FOLDER, writeAtomically } from './files.js';
import { createJournalFiles } from './journal-files.js';
import { createLogFiles } from './log-files.js';
import { createPlanFiles } from './plan-files.js';
import { createRunFiles } from './run-files.js';
import { errorCode, StoreFailure, storeFailure } from './store-failure.js';
import type { Store } from './store.js';
import { createValueFiles } from './value-files.js';

/** Raised by one when a store of the old form can no longer be read. */
const STORE_VERSION = 1;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Opens the store in a state folder (`.perdure/`), and makes it when it is not there; several processes may do so at
 * once. Throws `StoreFailure` when the folder cannot be used.
 */
export async function openStore(stateDir: string): Promise<Store> {
  const id = (await readId(stateDir)) ?? (await createId(stateDir));
  return {
    id,
    ...createValueFiles(join(stateDir, 'values')),
    ...createPlanFiles(join(stateDir, 'plans')),
    ...createJournalFiles(join(stateDir, 'journal')),
    ...createRunFiles(join(stateDir, 'runs')),
    ...createLogFiles(join(stateDir, 'logs')),
  };
}

const fileOfId = (stateDir: string): string => join(stateDir, 'store.json');

async function readId(stateDir: string): Promise<string | null> {
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

/** Makes the folder and its identity; of several who do it at once one wins, and all get the winner's id. */
async function createId(stateDir: string): Promise<string> {
  try {
    await mkdir(stateDir, { recursive: true, mode: PRIVATE_FOLDER });
    // State is never committed, also where the project's own ignore file does not say so (decision 15).
    await writeFile(join(stateDir, '.gitignore'), '*\n', { mode: PRIVATE_FILE });
  } catch (error) {
    throw storeFailure(error, 'create', stateDir);
  }
  const id = Array.from(randomBytes(8), (byte) => BASE32[byte % BASE32.length]).join('');
  const mine = join(stateDir, `store.${id}.json`);
  await writeAtomically(mine, `${JSON.stringify({ id, version: STORE_VERSION })}\n`);
  try {
    await link(mine, fileOfId(stateDir)); // Unlike a rename, a link fails when somebody was faster.
    return id;
  } catch (error) {
    const winner = errorCode(error) === 'EEXIST' ? await readId(stateDir) : null;
    if (winner === null) throw storeFailure(error, 'create', fileOfId(stateDir));
    return winner;
  } finally {
    await rm(mine, { force: true });
  }
}
