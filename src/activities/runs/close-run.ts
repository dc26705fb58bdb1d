import type { Json } from '../../plan/values/json.js';
import { dependsOnWorkspace } from '../../plan/calls/reuse.js';
import type { ClosingRun } from '../../plan/result.js';
import type { Value } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { measure } from '../attempt/measure.js';
import { keepContext } from './keep-context.js';
import { removeMade } from '../made/remove-made.js';
import { workspaceDigest } from '../workspace/workspace-digest.js';
import { locate } from '../../store/folders/places.js';

/** Results on one page (I12). */
const PAGE = 500;

/**
 * Keeps what `show` needs when the run's history is gone (decision 7), and does of a root what comes then. Repeating it
 * changes nothing.
 */
export function createCloseRun(
  { store, announceTrace }: Dependencies,
  onClosed: (record: ClosingRun, store: Store) => Promise<void>,
): Activities['closeRun'] {
  return async (record, results) => {
    const puts: ReturnType<Store['beginPut']>[] = [];
    for (let from = 0; from < results.length; from += PAGE) {
      // StepResult is JSON-safe, but an interface has no index signature.
      puts.push(store.beginPut(results.slice(from, from + PAGE) as unknown as Json));
    }
    const pages: Value[] = [...record.pages, ...puts.map(({ stored }) => stored)];
    const written = Promise.all(puts.map(({ done }) => done));
    written.catch(() => undefined); // told below
    // A nested run that leaves a record is part of one that goes on.
    const isRoot = !record.run.includes('/');
    if (isRoot) await removeUnneeded(record, store);
    const plan = isRoot ? await store.getPlan(record.plan).catch(() => null) : null;
    // What a rerun is held against: whether files were changed since by anybody but the run.
    const digest =
      plan !== null && dependsOnWorkspace(plan)
        ? workspaceDigest(locate(store, record.workspace), { definition: record.definition, stateDir: store.folder })
        : null;
    if (isRoot) {
      await keepEnd(record, store);
      await keepContext(store, record, results);
    }
    const send = isRoot && record.trace !== undefined ? await announceTrace?.(record.run) : undefined;
    // After a power cut the record may be there without its pages: then the run has not closed, and all of this is done
    // again.
    await Promise.all([
      store.writeRun({ ...record, pages, workspace_digest: await digest }, Promise.all(puts.map(({ named }) => named))),
      written,
      store.logsWritten(),
    ]);
    send?.();
    if (isRoot) await onClosed(record, store);
    if (isRoot) measure((measures) => measures.closed(record.run));
    return pages;
  };
}

/** The files as the run leaves them, for who asks what it changed. Only where those were kept that it found. */
async function keepEnd({ run, workspace }: ClosingRun, store: Store): Promise<void> {
  if ((await store.snapshotOf(run, 'start')) !== null) await store.keepSnapshot(run, 'end', locate(store, workspace));
}

/**
 * Before the workspace's state is taken down: what is removed here was changed by nobody. That it cannot be done fails
 * no run.
 */
async function removeUnneeded({ run: closing }: ClosingRun, store: Store): Promise<void> {
  try {
    await removeMade(store, async (run) =>
      run === closing || (await store.readRun(run)) !== null ? 'closed' : 'open',
    );
  } catch {
    // The next worker tries again when it starts.
  }
}

/**
 * Does nothing, and that at once: a run whose workflow task has done enough goes on in the next one, which its answer
 * begins.
 */
export function createBeginTask(): Activities['beginTask'] {
  return () => Promise.resolve();
}

/** How much of some time a worker of this store was there: what a run's clock counts. */
export function createCountAlive({ store }: Dependencies): Activities['countAlive'] {
  return (intervals) => store.countAlive(intervals);
}

/** Stores a page of StepResults as one list (I12). The same page has the same name, so a repeat changes nothing. */
export function createWritePage({ store }: Dependencies): Activities['writePage'] {
  // StepResult is JSON-safe, but an interface has no index signature.
  return (results) => store.putAlways(results as unknown as Json);
}
