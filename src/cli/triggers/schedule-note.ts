import { KeyError } from '../../store/encryption/key-error.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';

/** How a note begins that is encrypted: the server keeps notes as texts, and encodes none. */
const SEALED = 'encrypted:';

/** What somebody says of a schedule, as the server may have it. */
export function sealNote(note: string, keys: KeyRing | null): string {
  return keys === null ? note : `${SEALED}${keys.seal(Buffer.from(note), 'payload').toString('base64')}`;
}

/** The same as it was said; of one whose key is not here, that it is encrypted. */
export function openNote(note: string, keys: KeyRing | null): string {
  if (!note.startsWith(SEALED)) return note;
  try {
    return keys?.open(Buffer.from(note.slice(SEALED.length), 'base64'), 'payload').toString() ?? 'encrypted';
  } catch (error) {
    if (error instanceof KeyError) return 'encrypted';
    throw error;
  }
}
