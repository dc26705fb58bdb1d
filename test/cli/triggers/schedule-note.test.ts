import { expect, it } from 'vitest';
import { openNote, sealNote } from '../../../src/cli/triggers/schedule-note.js';
import { createKeyRing } from '../../../src/store/encryption/key-ring.js';

const [first, second] = [createKeyRing([Buffer.alloc(32, 1)]), createKeyRing([Buffer.alloc(32, 2)])];

it('gives the server a note that only the keys open', () => {
  const note = sealNote('until the move (by ana)', first);
  expect(note).not.toContain('move');
  expect(openNote(note, first)).toBe('until the move (by ana)');
  for (const keys of [second, null]) expect(openNote(note, keys)).toBe('encrypted');
});

it('keeps notes as they are where nothing is encrypted, and reads those of before', () => {
  expect(sealNote('until the move', null)).toBe('until the move');
  expect(openNote('until the move', first)).toBe('until the move');
});
