import type { RunRecord } from '../../plan/result.js';
import type { Store } from '../../store/store.js';
import type { Span } from './span.js';
import { addCalls } from './trace-journal.js';
import type { TraceTree } from './trace-results.js';
import { addRun } from './trace-results.js';

/**
 * All spans of a closed run, with what is nested in it, from what the store kept of it: each once, over all kills, and
 * the same whenever it is read. Throws a `StoreFailure` where a part of it is missing.
 */
export async function readTrace(record: RunRecord, store: Store, { content }: { content: boolean }): Promise<Span[]> {
  const tree: TraceTree = {
    store,
    spans: [],
    places: new Map(),
    scopes: new Map(),
    records: await recordsBelow(record.run, store),
  };
  await addRun(tree, record, { path: '', scope: record.journal, parent: record.trace?.parent ?? null });
  await addCalls(tree, content);
  return tree.spans;
}

/** Records of runs that are nested in one, by their paths below it. */
async function recordsBelow(run: string, store: Store): Promise<Map<string, RunRecord>> {
  const records = new Map<string, RunRecord>();
  for (const id of await store.listRuns(run)) {
    const record = await store.readRun(id);
    if (record !== null) records.set(id.slice(run.length + 1), record);
  }
  return records;
}
