import { join } from 'node:path';
import type { Hash } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import { INSTRUCTION_BYTES, readPlainNow } from '../../store/read-plain.js';
import { StoreFailure } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';

type Marks = Pick<Store, 'taint' | 'taintedBy'>;

/** So many workspaces are remembered; of one that is forgotten more counts as a run's. */
const MOST_WORKSPACES = 1_000;

/** Calls that work in a workspace now, and the instructions that stood there when none did and that no run had left. */
interface Watched {
  calls: number;
  persons: Set<Hash>;
}

const workspaces = new Map<string, Watched>();

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
 * one closes, and one that is terminated never does. What a person had there before, and a run brings back (by `git
 * checkout`, say), stays the person's. A store that takes nothing now ends nothing that was done, nor a cancellation:
 * what it lacks is marked when the run closes.
 */
export async function markingInstructions<R>(
  store: Marks,
  at: { run: string; workspace: string },
  act: () => Promise<R>,
): Promise<R> {
  const before = instructionsIn(at.workspace);
  const watched = watch(at.workspace);
  const isAlone = watched.calls === 1;
  try {
    return await act();
  } finally {
    watched.calls -= 1;
    const after = instructionsIn(at.workspace);
    if (after !== null && before?.equals(after) !== true)
      await markChanged(store, at, { before: instructionsHash(before), isAlone, watched }).catch((error: unknown) => {
        if (!(error instanceof StoreFailure)) throw error;
      });
  }
}

async function markChanged(
  store: Marks,
  at: { run: string; workspace: string },
  { before, isAlone, watched: { persons } }: { before: Hash | null; isAlone: boolean; watched: Watched },
): Promise<void> {
  // What stands there while another call works may be that one's, which is not marked yet.
  if (before !== null && isAlone && (await store.taintedBy(before)) === null) persons.add(before);
  const now = instructionsHash(instructionsIn(at.workspace));
  if (now === null || !persons.has(now)) await markInstructions(store, at, before);
}

function watch(workspace: string): Watched {
  const watched = workspaces.get(workspace) ?? { calls: 0, persons: new Set() };
  if (workspaces.size >= MOST_WORKSPACES)
    for (const [idle, { calls }] of workspaces) if (calls === 0) workspaces.delete(idle);
  workspaces.set(workspace, watched);
  watched.calls += 1;
  return watched;
}
