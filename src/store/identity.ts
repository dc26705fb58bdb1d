import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { link, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from './files.js';
import { realOf } from './folders/places.js';
import type { FolderIdentity } from './folders/root.js';
import { identityOf, isSameFolder, makeEach, openRoot, PRIVATE_FILE } from './folders/root.js';
import { errorCode, StoreFailure, storeFailure } from './store-failure.js';
import { readText } from './read-regular.js';

/** Raised by one when a store of the old form can no longer be read. */
const STORE_VERSION = 1;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Where a store was opened last: by it a copy is told from a store that was moved. */
const placeSchema = z.object({ path: z.string(), dev: z.number(), ino: z.number() });
type Place = z.infer<typeof placeSchema>;

/** What `store.json` says of the store that it stands in. */
export interface StoreIdentity {
  /** Eight characters of base32. */
  id: string;
  /** State folder of the store that this one is a copy of; null of one that was made here. */
  copiedFrom: string | null;
}

interface Written extends StoreIdentity {
  place: Place | null;
}

/**
 * Reads whose store a state folder is, and makes it one where it is none. A copy whose original is still there gets an
 * id of its own: queues, workers and processes go by it, so nothing in the copy is taken for the original's. What was
 * moved keeps its id. From now on this process writes to that very folder. With `lookOnly` nothing is written: what is
 * not there, and a copy, has the id of no other. Throws `StoreFailure`, also where it is to write to another user's.
 */
export async function openIdentity(stateDir: string, lookOnly: boolean): Promise<StoreIdentity> {
  if (!lookOnly) requireOwn(stateDir);
  openRoot(stateDir);
  const written = (await readIdentity(stateDir)) ?? (await identityOfRemains(stateDir));
  if (written === null) return { id: lookOnly ? newId() : await createId(stateDir), copiedFrom: null };
  const original = await originalOf(stateDir, written);
  if (original !== null)
    return lookOnly ? { id: newId(), copiedFrom: original } : becomeCopy(stateDir, written.id, original);
  if (!lookOnly && !isNoted(stateDir, written.place)) await notePlace(stateDir, written);
  return written;
}

/**
 * Root may write anywhere, but what it made in another user's store would be closed to that user for ever. The folder
 * itself may be somebody else's, as volumes are that are mounted for a group. Throws a `StoreFailure`.
 */
export function requireOwn(stateDir: string): void {
  const path = fileOfId(stateDir);
  const [owner, self] = [ownerOf(path), process.getuid?.() ?? null];
  if (owner === null || self === null || owner === self) return;
  throw new StoreFailure(
    'internal',
    `The state folder \`${stateDir}\` belongs to user ${String(owner)}, and this is user ${String(self)}: run the ` +
      `command as that user, or set PERDURE_STATE_DIR to another folder.`,
  );
}

/** Null where nothing is. */
function ownerOf(path: string): number | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.uid ?? null;
  } catch (error) {
    throw storeFailure(error, 'read', path);
  }
}

/**
 * The id of the store in a state folder; null where there is none, and of a copy that has none of its own yet. Throws
 * `StoreFailure` when it cannot be read.
 */
export async function readStoreId(stateDir: string): Promise<string | null> {
  const written = await readIdentity(stateDir);
  return written === null || (await originalOf(stateDir, written)) !== null ? null : written.id;
}

const fileOfId = (stateDir: string): string => join(stateDir, 'store.json');

/** Of a store in which something was done one of these is there. */
const REMAINS = ['journal', 'plans', 'runs', 'values'];

/** Tells whether a state folder has a store, or had one. Throws `StoreFailure` where nobody may look. */
export function holdsStore(stateDir: string): boolean {
  return [fileOfId(stateDir), ...REMAINS.map((name) => join(stateDir, name))].some(isThere);
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw storeFailure(error, 'read', path);
  }
}

/**
 * Null where nothing was done. Runs of a store whose identity was lost wait in a queue of that name: under another one
 * nobody would serve them.
 */
async function identityOfRemains(stateDir: string): Promise<Written | null> {
  if (!REMAINS.some((name) => isThere(join(stateDir, name)))) return null;
  const written = await readIdentity(stateDir); // Somebody may have made it since, and what remains.
  if (written !== null) return written;
  throw new StoreFailure(
    'internal',
    `Expected \`${fileOfId(stateDir)}\`, which says whose runs these are: it is not there. Bring it back from a ` +
      `backup, or move the folder away to begin a new one.`,
  );
}

async function readIdentity(stateDir: string): Promise<Written | null> {
  const path = fileOfId(stateDir);
  let text: string;
  try {
    text = await readText(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw storeFailure(error, 'read', path);
  }
  const { id, version, place, copied_from } = parseIdentity(text);
  if (typeof id !== 'string' || !/^[a-z2-7]{8}$/.test(id)) {
    throw new StoreFailure(
      'internal',
      `Expected \`${path}\` to name this store by an \`id\` of 8 characters; it does not. Move the folder away ` +
        `to begin a new one.`,
    );
  }
  if (version !== STORE_VERSION) {
    throw new StoreFailure(
      'internal',
      `Expected the store \`${stateDir}\` to have version \`${STORE_VERSION}\`, got \`${String(version)}\`: it ` +
        `belongs to another version of Perdure. Use that one, or move the folder away to begin a new one.`,
    );
  }
  return {
    id,
    place: placeSchema.safeParse(place).data ?? null,
    copiedFrom: typeof copied_from === 'string' ? copied_from : null,
  };
}

function parseIdentity(text: string): { id?: unknown; version?: unknown; place?: unknown; copied_from?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/**
 * The state folder that this one is a copy of: it is where this store was opened last, and holds the store of this id
 * still. Null where that folder is this one, by whatever path or mount, and where it is gone or another store's: this
 * one was moved.
 */
async function originalOf(stateDir: string, { id, place }: Written): Promise<string | null> {
  const here = identityOf(stateDir);
  if (place === null || isSameFolder(here, place)) return null;
  const there = identityUnlessHidden(place.path);
  if (there === null || isSameFolder(here, there)) return null;
  // What nobody lets us read is known by its number: another user's project was copied.
  const found = await readIdentity(place.path).then(
    (written) => written?.id ?? null,
    () => (isSameFolder(there, place) ? id : null),
  );
  return found === id ? place.path : null;
}

/** Null also where nobody may look. */
function identityUnlessHidden(path: string): FolderIdentity | null {
  try {
    return identityOf(path);
  } catch {
    return null;
  }
}

/** Tells whether what is noted still leads here: a store that is reached by several paths is not noted anew by each. */
function isNoted(stateDir: string, place: Place | null): boolean {
  const here = identityOf(stateDir);
  return place !== null && isSameFolder(here, place) && isSameFolder(here, identityUnlessHidden(place.path));
}

/** A place that cannot be noted now is noted by the next who opens the store: until then it passes for what it was. */
async function notePlace(stateDir: string, identity: StoreIdentity): Promise<void> {
  await writeIdentity(fileOfId(stateDir), stateDir, identity).catch((error: unknown) => {
    if (!storeFailure(error, 'write', stateDir).passes) throw error;
  });
}

async function writeIdentity(path: string, stateDir: string, { id, copiedFrom }: StoreIdentity): Promise<void> {
  const here = identityOf(stateDir);
  const place = here === null ? {} : { place: { path: realOf(stateDir), ...here } };
  const from = copiedFrom === null ? {} : { copied_from: copiedFrom };
  await writeAtomically(path, `${JSON.stringify({ id, version: STORE_VERSION, ...place, ...from })}\n`);
}

/**
 * Gives a copy the id of its own. Of several who do it at once one wins by a file that stays, named by what is copied
 * and by this folder: who is slow writes the same again, and a copy of the copy does not take it for its own.
 */
async function becomeCopy(stateDir: string, copied: string, copiedFrom: string): Promise<StoreIdentity> {
  const { dev, ino } = identityOf(stateDir) ?? { dev: 0, ino: 0 };
  const chosen = await writeOnce(join(stateDir, `store.${copied}-${String(dev)}-${String(ino)}.json`), stateDir, {
    id: newId(),
    copiedFrom,
  });
  await writeIdentity(fileOfId(stateDir), stateDir, chosen);
  return chosen;
}

/** Makes the folder and its identity; of several who do it at once one wins, and all get the winner's id. */
async function createId(stateDir: string): Promise<string> {
  try {
    makeEach(stateDir);
    openRoot(stateDir);
    // State is never committed, also where the project's own ignore file does not say so (decision 15).
    await writeFile(join(stateDir, '.gitignore'), '*\n', { mode: PRIVATE_FILE });
  } catch (error) {
    throw storeFailure(error, 'create', stateDir);
  }
  return (await writeOnce(fileOfId(stateDir), stateDir, { id: newId(), copiedFrom: null })).id;
}

/** Writes an identity where none is; where somebody was faster, gives theirs. */
async function writeOnce(path: string, stateDir: string, identity: StoreIdentity): Promise<StoreIdentity> {
  const mine = join(stateDir, `store.${identity.id}.json`);
  await writeIdentity(mine, stateDir, identity);
  try {
    await link(mine, path); // Unlike a rename, a link fails when somebody was faster.
    return identity;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw storeFailure(error, 'create', path);
    const { id, copied_from } = parseIdentity(await readText(path));
    if (typeof id !== 'string') throw storeFailure(error, 'create', path);
    return { id, copiedFrom: typeof copied_from === 'string' ? copied_from : null };
  } finally {
    await rm(mine, { force: true });
  }
}

/** An id for a store: no other has it. */
export function newId(): string {
  return Array.from(randomBytes(8), (byte) => BASE32[byte % BASE32.length]).join('');
}
