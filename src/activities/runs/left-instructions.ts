import { join } from 'node:path';
import type { Hash } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import { INSTRUCTION_BYTES, readPlainNow } from '../../store/read-plain.js';
import { StoreFailure } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';

type Marks = Pick<Store, 'taint' | 'taintedBy'>;

/** What the instructions in a project's folder say (`AGENTS.md`); null where there are none. */
export function instructionsIn(folder: string): Buffer | null {
  return readPlainNow(join(folder, 'AGENTS.md'), INSTRUCTION_BYTES);
}

/** The name by which instructions are marked; null of none. */
export function instructionsHash(text: Buffer | null): Hash | null {
  return text === null ? null : sha256(text.toString('utf8'));
}

/**
 * Instructions that a run has left behind are nobody's word: from then on they are told as untrusted, until a person
 * changes them. `found`: their hash as the run found them.
 */
export async function markInstructions(
  store: Marks,
  { run, workspace }: { run: string; workspace: string },
  found: Hash | null,
): Promise<void> {
  const content = instructionsHash(instructionsIn(workspace));
  if (content !== null && content !== found && (await store.taintedBy(content)) === null)
    await store.taint(content, run);
}

/**
 * Acts for a run, and marks instructions that have changed meanwhile at once: another run may be submitted before this
 * one closes, and one that is terminated never does. A store that takes nothing now ends nothing that was done, nor a
 * cancellation: what it lacks is marked when the run closes.
 */
export async function markingInstructions<R>(
  store: Marks,
  at: { run: string; workspace: string },
  act: () => Promise<R>,
): Promise<R> {
  const before = instructionsIn(at.workspace);
  try {
    return await act();
  } finally {
    const after = instructionsIn(at.workspace);
    if (after !== null && before?.equals(after) !== true)
      await markInstructions(store, at, instructionsHash(before)).catch((error: unknown) => {
        if (!(error instanceof StoreFailure)) throw error;
      });
  }
}
