import { KeyError } from '../../store/encryption/key-error.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { named } from '../../store/encryption/key-ring.js';

/** What a worker's identity says of its keys, behind its store: the one it writes with is the first. */
const KEYS_AT_END = /^\d+@[^/]+\/[a-z2-7]{8}((?:\+[a-z2-7]{8})*)$/;

/** What stands at the end of a worker's identity: in four events of each step, so nothing where there are no keys. */
export function keysSuffix(ring: KeyRing | null): string {
  return (ring?.ids ?? []).map((id) => `+${id}`).join('');
}

/**
 * Sees to it that the workers of a queue read what is written by these keys, and the other way round. Throws a KeyError
 * that says which of them cannot.
 */
export function requireSameKeys(taskQueue: string, pollers: readonly string[], ring: KeyRing | null): void {
  const ours = ring?.ids ?? [];
  for (const poller of pollers) {
    const [, suffix] = KEYS_AT_END.exec(poller) ?? [];
    if (suffix === undefined) continue;
    const theirs = suffix.split('+').slice(1);
    if (reads(theirs, ours[0]) && reads(ours, theirs[0])) continue;
    throw new KeyError(
      `A worker of the task queue \`${taskQueue}\` encrypts with the keys ${named(theirs)}, and here \`encryption\` ` +
        `of perdure.yml has ${named(ours)}.`,
      'Have the same keys in both. A new key is added at the end of each list first, and made the first one then. ' +
        'A worker that has ended is forgotten after a minute.',
    );
  }
}

/** Tells whether a list has the key that another one writes with; one without keys writes what only they may read. */
function reads(ids: readonly string[], writing: string | undefined): boolean {
  return writing === undefined ? ids.length === 0 : ids.includes(writing);
}
