import type { KeyRing } from '../../store/encryption/key-ring.js';
import { createKeyRing } from '../../store/encryption/key-ring.js';
import type { KeyPlace, KeyReader } from '../../store/encryption/read-keys.js';
import { readKeys } from '../../store/encryption/read-keys.js';

/** `encryption` of `perdure.yml`. */
export interface EncryptionConfig {
  encryption?: { keys: KeyPlace[] } | undefined;
}

/** Rings that were read already: a program that gives a key asks a person perhaps, and once is enough. */
const read = new WeakMap<KeyPlace[], Promise<KeyRing>>();

/** The keys that a project's configuration names; null where it names none. Throws a KeyError. */
export async function projectKeys({ encryption }: EncryptionConfig, reader: KeyReader): Promise<KeyRing | null> {
  if (encryption === undefined) return null;
  const known = read.get(encryption.keys) ?? readKeys(encryption.keys, reader).then(createKeyRing);
  read.set(encryption.keys, known);
  return known;
}
