import { createTranslator } from '../../../src/cli/observe/history/events.js';
import type { RunFold } from '../../../src/cli/observe/fold/run-fold.js';
import { applyEvent, openFold } from '../../../src/cli/observe/fold/fold.js';
import { RUN_FAILED } from '../../../src/plan/outcomes/step-ends.js';
import type { RoundResult, RunOutcome } from '../../../src/plan/result.js';
import type { Harness, RunHandle } from './harness.js';

/** The outcome of a run once it has ended, also of one that failed. */
export async function outcomeOf(handle: RunHandle): Promise<RunOutcome> {
  try {
    return await handle.result();
  } catch (error) {
    const { cause } = error as { cause?: { type?: string; details?: RunOutcome[] } };
    if (cause?.type !== RUN_FAILED || cause.details?.[0] === undefined) throw error;
    return cause.details[0];
  }
}

/** What the items of a foreach or the rounds of a loop came to, in order; `step` is its id or index. */
export async function roundsOf(harness: Harness, outcome: RunOutcome, step: string): Promise<RoundResult[]> {
  const results = await harness.results(outcome);
  const pages = await Promise.all((results[step]?.pages ?? []).map((page) => harness.json(page)));
  return (pages.flat() as unknown as RoundResult[]).sort((a, b) => a.index - b.index); // the interpreter's contract
}

/** What history alone tells of a run; `onEvent` sees it after each event. */
export async function foldOf(handle: RunHandle, onEvent: (fold: RunFold) => void = () => undefined): Promise<RunFold> {
  const translate = createTranslator();
  const [first, ...rest] = ((await handle.fetchHistory()).events ?? []).flatMap(translate);
  if (first?.kind !== 'run-started') throw new Error('no start');
  const fold = openFold(handle.workflowId, first);
  for (const event of rest) {
    applyEvent(fold, event);
    onEvent(fold);
  }
  return fold;
}
