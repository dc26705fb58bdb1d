import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import type { RunEvent } from '../../../src/cli/observe/history/run-event.js';
import { createTranslator } from '../../../src/cli/observe/history/events.js';
import type { RunFold } from '../../../src/cli/observe/fold/run-fold.js';
import { applyEvent, openFold } from '../../../src/cli/observe/fold/fold.js';

/** The events of a history that was recorded on a real server for the replay tests. */
export function recordedEvents(name: string): { run: string; events: RunEvent[] } {
  const file = new URL(`../../replay/histories/${name}.json.gz`, import.meta.url);
  const history = historyFromJSON(JSON.parse(gunzipSync(readFileSync(file)).toString()));
  const events = history.events ?? [];
  const run = events[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';
  return { run, events: events.flatMap(createTranslator()) };
}

/** Folds events as the observer does. */
export function foldOf(run: string, events: RunEvent[]): RunFold {
  const [first, ...rest] = events;
  if (first?.kind !== 'run-started') throw new Error('Expected a run to begin with its start');
  const fold = openFold(run, first);
  for (const event of rest) applyEvent(fold, event);
  return fold;
}
