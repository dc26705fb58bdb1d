import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { KeyError } from './key-error.js';

export const KEY_BYTES = 32;

const FORM = 1;
const ID_BYTES = 5;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + ID_BYTES + SALT_BYTES + NONCE_BYTES;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** What sealed bytes are; what was sealed as one thing is not opened as another. */
export type Purpose = 'payload' | 'value' | 'journal' | 'log' | 'record';

/**
 * Keys that encrypt and authenticate bytes: the first one writes, all of them read. Sealed bytes name their key and
 * have 50 bytes more than the plain ones (decision 37).
 */
export interface KeyRing {
  /** Ids of the keys, eight characters of base32 each, in the order in which they were given. */
  readonly ids: readonly string[];
  /** The keys in base64, for a process of ours, to which they go in memory only (I13). */
  handOver(): string[];
  /** Encrypts with the first key. */
  seal(plain: Uint8Array, purpose: Purpose): Buffer;
  /** Gives the plain bytes. Throws a KeyError where the key is not here, or the bytes are not as they were sealed. */
  open(sealed: Uint8Array, purpose: Purpose): Buffer;
}

/** Makes a ring of keys of 32 bytes, at least one. Throws a KeyError where one is there twice. */
export function createKeyRing(keys: readonly Buffer[]): KeyRing {
  const byId = new Map(keys.map((key) => [idOf(key), key]));
  const [writing] = byId.keys();
  if (writing === undefined || byId.size < keys.length)
    throw new KeyError(
      `Expected \`encryption.keys\` to have different keys, got ${keys.length} of which some are the same.`,
    );
  return {
    ids: [...byId.keys()],
    handOver: () => keys.map((key) => key.toString('base64')),
    seal(plain, purpose) {
      const head = Buffer.concat([Buffer.from([FORM]), fromBase32(writing), randomBytes(SALT_BYTES + NONCE_BYTES)]);
      // The id came from there.
      const cipher = createCipheriv('aes-256-gcm', onceKey(byId.get(writing)!, head), nonceOf(head));
      cipher.setAAD(about(head, purpose));
      return Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const id = sealingKey(bytes);
      if (id === null) throw new KeyError('Expected bytes that Perdure encrypted, got others.', NOT_OURS);
      const key = byId.get(id);
      if (key === undefined)
        throw new KeyError(
          `This is encrypted with the key \`${id}\`, and \`encryption.keys\` of perdure.yml has ` +
            `${named([...byId.keys()])}.`,
          'Add that key to the list, after the first one. `perdure doctor` shows the ids of the keys.',
        );
      const head = bytes.subarray(0, HEAD_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', onceKey(key, head), nonceOf(head));
      decipher.setAAD(about(head, purpose));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch {
        throw new KeyError(`What the key \`${id}\` has encrypted was changed since, or is no ${purpose}.`, NOT_OURS);
      }
    },
  };
}

/** The id of the key that bytes are sealed with; null for bytes that no ring has sealed. */
export function sealingKey(bytes: Uint8Array): string | null {
  return bytes.length >= HEAD_BYTES + TAG_BYTES && bytes[0] === FORM ? toBase32(bytes.subarray(1, 1 + ID_BYTES)) : null;
}

/** Ids of keys in a sentence. */
export function named(ids: readonly string[]): string {
  return ids.length === 0 ? 'none' : ids.map((id) => `\`${id}\``).join(', ');
}

const NOT_OURS = 'Whoever can write to the server or the store may have put it there.';

/** A key's name: it tells nothing of a key that was drawn at random. */
function idOf(key: Buffer): string {
  return toBase32(createHash('sha256').update('perdure key id\0').update(key).digest().subarray(0, ID_BYTES));
}

/** The key of these bytes alone: so many may be sealed that random nonces of 12 bytes under one key would meet. */
function onceKey(key: Buffer, head: Buffer): Buffer {
  const salt = head.subarray(1 + ID_BYTES, 1 + ID_BYTES + SALT_BYTES);
  return Buffer.from(hkdfSync('sha256', key, salt, 'perdure sealed bytes', KEY_BYTES));
}

const nonceOf = (head: Buffer): Buffer => head.subarray(-NONCE_BYTES);

const about = (head: Buffer, purpose: Purpose): Buffer => Buffer.concat([head, Buffer.from(purpose)]);

/** Five bytes in eight characters. */
function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[parseInt(five, 2)]).join('');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((character) => BASE32.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => parseInt(eight, 2)));
}
