import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Store } from '../../store/store.js';
import { decide } from '../follow/decide.js';
import type { Says } from '../follow/decide.js';
import { observe } from '../observe/observer.js';
import type { OpenGate } from '../observe/view.js';
import { openGates } from '../observe/view.js';
import type { Recording } from './recording.js';

interface Deciding {
  run: string;
  gates: NonNullable<Recording['gates']>;
  /** Who approves what nobody is recorded at. */
  by: string;
}

/**
 * Follows a run to its end and decides its gates as people did when it was recorded, each opening by the next decision
 * of that gate; what asks beside these is approved. Gives what could not be decided so; a run that waits for that is
 * cancelled.
 */
export async function decideRecorded(
  { run, gates, by }: Deciding,
  link: TemporalLink,
  store: Store,
): Promise<string[]> {
  const left = [...gates];
  const seen = new Set<string>();
  const troubles: string[] = [];
  const give = async (open: OpenGate): Promise<void> => {
    const next = left.find(({ gate }) => gate === open.gate.path);
    if (next !== undefined) left.splice(left.indexOf(next), 1);
    for (const name of next?.by ?? [by]) {
      const says: Says = { decision: next?.decision ?? 'approve', by: name, comment: next?.comment ?? null };
      const value = next?.output === undefined ? null : await store.put(next.output);
      if (value !== null) Object.assign(says, next?.decision === 'approve' ? { edit: value } : { value });
      await decide(link.client, open, says, store);
    }
  };
  const look = (): void => {
    const view = observer.view();
    for (const open of view === null ? [] : openGates(view)) {
      const key = `${open.address} ${open.gate.since}`;
      if (seen.has(key)) continue;
      seen.add(key);
      give(open).catch(async (error: unknown) => {
        troubles.push(`${open.gate.path}: ${error instanceof Error ? error.message : String(error)}`);
        await link.client.workflow.getHandle(run).cancel();
      });
    }
  };
  const observer = observe({
    ...{ source: link, run, store, wait: true },
    signal: new AbortController().signal,
    onChange: look,
  });
  await observer.done;
  for (const { gate, decision } of left) troubles.push(`${gate}: ${decision} was recorded, and nobody was asked`);
  return troubles;
}
