import { KeyError } from '../encryption/key-error.js';
import type { KeyRing, Purpose } from '../encryption/key-ring.js';
import { sealingKey } from '../encryption/key-ring.js';

/** How contents stand in a database: as they are, or sealed with the keys of `encryption` (decision 37). */
export interface Sealing {
  /** Tells whether there are keys. */
  isOn: boolean;
  /** A text as it is kept. */
  seal(plain: string, purpose: Purpose): string;
  /** A kept text as it was. Throws a KeyError for one whose key is not here. */
  open(kept: string, purpose: Purpose): string;
  sealBytes(plain: Buffer): Buffer;
  /** Throws likewise. */
  openBytes(kept: Buffer): Buffer;
  /** Tells whether a kept content is sealed with the key that writes now, or stands as it is where there is none. */
  isCurrent(kept: string | Buffer): boolean;
}

/** No JSON begins so, and no key. */
const MARK = 'sealed:';

/** Seals with the first of the keys. Without keys nothing is sealed, and what is sealed is not opened. */
export function sealingWith(keys: KeyRing | null): Sealing {
  const unsealed = (sealed: Buffer, purpose: Purpose): Buffer => {
    if (keys !== null) return keys.open(sealed, purpose);
    throw new KeyError(
      `The store's database is encrypted with the key \`${sealingKey(sealed) ?? 'unknown'}\`, and perdure.yml names ` +
        'no keys.',
      'Name the keys under `encryption` in perdure.yml.',
    );
  };
  const keyOf = (kept: string | Buffer): string | null => {
    const sealed = typeof kept === 'string' ? sealedIn(kept) : kept;
    return sealed === null ? null : sealingKey(sealed);
  };
  return {
    isOn: keys !== null,
    seal: (plain, purpose) =>
      keys === null ? plain : `${MARK}${keys.seal(Buffer.from(plain), purpose).toString('base64')}`,
    open(kept, purpose) {
      const sealed = sealedIn(kept);
      return sealed === null ? kept : unsealed(sealed, purpose).toString();
    },
    sealBytes: (plain) => (keys === null ? plain : keys.seal(plain, 'value')),
    openBytes: (kept) => unsealed(kept, 'value'),
    isCurrent: (kept) => keyOf(kept) === (keys?.ids[0] ?? null),
  };
}

function sealedIn(kept: string): Buffer | null {
  return kept.startsWith(MARK) ? Buffer.from(kept.slice(MARK.length), 'base64') : null;
}
