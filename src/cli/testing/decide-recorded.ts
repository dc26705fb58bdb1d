import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Store } from '../../store/store.js';
import type { Stub } from '../../plan/agents/recorded-answers.js';
import { endOfStub, stubAt } from '../../plan/agents/recorded-answers.js';
import type { Gate } from '../../plan/gates/gate.js';
import { decide } from '../follow/decide.js';
import type { Says } from '../follow/decide.js';
import { observe } from '../observe/observer.js';
import type { OpenGate } from '../observe/view/view.js';
import { openGates } from '../observe/view/view.js';
import type { Recording } from './recording.js';

type RecordedGate = NonNullable<Recording['gates']>[number];

interface Deciding {
  run: string;
  gates: RecordedGate[];
  stubs: Stub[];
  /** Who decides what nobody is recorded at. */
  by: string;
}

/**
 * Follows a run to its end and decides its gates as people did when it was recorded, each opening by the next decision
 * of that gate, else by its stub; what asks beside these is approved. Gives what could not be decided so; a run that
 * waits for that is cancelled.
 */
export async function decideRecorded(
  { run, gates, stubs, by }: Deciding,
  link: TemporalLink,
  store: Store,
): Promise<string[]> {
  const left = [...gates];
  const seen = new Set<string>();
  const troubles: string[] = [];
  const give = async (open: OpenGate): Promise<void> => {
    const recorded = left.find(({ gate }) => gate === open.gate.path);
    if (recorded !== undefined) left.splice(left.indexOf(recorded), 1);
    const next = recorded ?? stubbedGate(open.gate, stubs, by);
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

/** What a gate's stub decides: a question's answer; approval, also of another content, or rejection with a reason. */
function stubbedGate({ path, kind, options }: Gate, stubs: Stub[], by: string): RecordedGate | null {
  const stub = kind === 'approval' || kind === 'ask' ? stubAt(stubs, path) : null;
  const end = stub === null ? null : endOfStub(stub, path);
  if (end === null || 'real' in end) return null;
  const said = { gate: path, by: [by] };
  if ('failed' in end) return { ...said, decision: 'reject', comment: end.failed };
  const { output } = end;
  if (kind === 'ask' || options !== undefined) return { ...said, decision: 'answer', output };
  return output === 'approve' || output === 'reject'
    ? { ...said, decision: output }
    : { ...said, decision: 'approve', output };
}
