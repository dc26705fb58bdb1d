import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { link, lstat, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeAtomically } from '../files.js';
import { readPlain } from '../read-plain.js';
import { errorCode, StoreFailure, storeFailure } from '../store-failure.js';

/** Bytes of a key: the seed of an Ed25519 key pair. */
export const KEY_BYTES = 32;
const MOST_BYTES = 1024;

/** What stands before the seed in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Signs what was decided at gates, and who may decide: by a key that only the store's owner can read and that leaves
 * the folder never (I13).
 */
export interface ApprovalKey {
  /** Ed25519 signature of a text, in base 64 for URLs. Makes the key when there is none. Throws `StoreFailure`. */
  sign(text: string): Promise<string>;
  /** Whether `sign` gave this signature for the text. */
  isSigned(text: string, signature: string): Promise<boolean>;
  /** The public half, as PEM: whoever has it can verify, and no more. */
  publicKey(): Promise<string>;
}

/** The key in a file, which is made when it is first needed: of several who do so at once one wins. */
export function createApprovalKey(file: string): ApprovalKey {
  return signingBy(async () => (await readKey(file)) ?? makeKey(file));
}

/** Signs by the seed that `seed` gives, wherever that is kept. */
export function signingBy(seed: () => Promise<Buffer>): ApprovalKey {
  const key = async (): Promise<KeyObject> =>
    createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, await seed()]), format: 'der', type: 'pkcs8' });
  return {
    async sign(text) {
      return sign(null, Buffer.from(text), await key()).toString('base64url');
    },
    async isSigned(text, signature) {
      const bytes = Buffer.from(signature, 'base64url');
      // A signature has one spelling: what reads the same and is written otherwise was not given here.
      if (bytes.toString('base64url') !== signature) return false;
      return verify(null, Buffer.from(text), createPublicKey(await key()), bytes);
    },
    async publicKey() {
      return createPublicKey(await key())
        .export({ format: 'pem', type: 'spki' })
        .toString();
    },
  };
}

/** A key that has a name elsewhere is read by whoever reaches that: it signs nothing. */
async function readKey(file: string): Promise<Buffer | null> {
  try {
    const { nlink } = await lstat(file);
    if (nlink > 1 && (await isNamedElsewhere(file)))
      throw new StoreFailure(
        'internal',
        `The key \`${file}\` has another name (a hard link), by which others may have read it. Remove the file ` +
          `for a new key, by which no token of before counts.`,
      );
    const key = Buffer.from((await readPlain(file, MOST_BYTES))?.toString().trim() ?? '', 'base64url');
    if (key.length !== KEY_BYTES)
      throw new Error(`expected ${KEY_BYTES} bytes; remove the file for a new key, by which no token of before counts`);
    return key;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error instanceof StoreFailure ? error : storeFailure(error, 'read', file);
  }
}

/** Tells whether the key file has names beside those under which `makeKey` makes it, which a crash may leave. */
async function isNamedElsewhere(file: string): Promise<boolean> {
  const folder = dirname(file);
  const own = await lstat(file);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(file)}.`)) continue;
    const found = await lstat(join(folder, name)).catch(() => null);
    if (found?.ino === own.ino && found.dev === own.dev) await rm(join(folder, name), { force: true });
  }
  return (await lstat(file)).nlink > 1;
}

async function makeKey(file: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  const mine = `${file}.${randomBytes(6).toString('hex')}`;
  await writeAtomically(mine, `${key.toString('base64url')}\n`);
  try {
    await link(mine, file); // Unlike a rename, a link fails when somebody was faster.
    return key;
  } catch (error) {
    const winner = errorCode(error) === 'EEXIST' ? await readKey(file) : null;
    if (winner === null) throw storeFailure(error, 'create', file);
    return winner;
  } finally {
    await rm(mine, { force: true });
  }
}
