import type { Gate } from '../../plan/gates/gate.js';
import { createTranslator } from './history/events.js';
import type { HistorySource } from './history/history.js';
import { readHistory } from './history/history.js';
import { levelsTo, placeOf } from './place.js';
import type { OpenGate, RunView } from './view/view.js';

/**
 * What the same step asked the last time before: in an earlier round of its loop, or before it was sent back. Null
 * where it asks for the first time, and where its run has continued as new since.
 */
export async function askedBefore(view: RunView, open: OpenGate, source: HistorySource): Promise<Gate | null> {
  const { gate, owner } = open;
  const place = placeOf(levelsTo(view, gate.path));
  const translate = createTranslator();
  let before: Gate | null = null;
  const options = { wait: false, signal: new AbortController().signal };
  for await (const page of readHistory(source, { workflowId: owner, runId: '' }, options)) {
    for (const event of page.flatMap(translate)) {
      if (event.kind !== 'gate-opened' || event.gate.kind !== gate.kind) continue;
      const { path, since, hash } = event.gate;
      if (path === gate.path && (since === gate.since || (since > gate.since && hash === gate.hash))) continue;
      if (since <= gate.since && placeOf(levelsTo(view, path)) === place) before = event.gate;
    }
  }
  return before;
}
