import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { FailureType } from '../../plan/failure.js';
import type { Json } from '../../plan/values/json.js';
import type { Claim } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import type { CommandRequest } from './command-request.js';
import { askedFor } from './command-request.js';
import type { CommandCall, StepOutput } from '../contract.js';
import { stepFailure, toFailure, withPath } from '../failures.js';
import { askOnce } from '../attempt/call-journal.js';

/** How a quick command ended, as the journal keeps it. */
type End = { output: StepOutput } | { failure: { type: FailureType; message: string } };

/**
 * Runs a quick command unless the journal tells how it has ended: a local activity is repeated when its worker is
 * lost, with all others since the last workflow task (I8). What ended it from outside, a cancellation or the worker's
 * shutdown, is thrown and not journalled. However it ends, that names the step: a local activity's event does not.
 */
export async function runOnce(
  store: Store,
  call: CommandCall,
  render: () => Promise<CommandRequest>,
  run: (request: CommandRequest, claim: Claim) => Promise<StepOutput>,
): Promise<StepOutput> {
  const { path } = call;
  try {
    const request = await render();
    const end = await askOnce(store, { call, part: ['command'], request: { ...askedFor(request) } }, async (claim) =>
      toJson(await endOf(() => run(request, claim))),
    );
    const known = end as unknown as End; // Only `toJson` makes such answers.
    if ('output' in known) return { ...known.output, path };
    throw stepFailure(known.failure.type, known.failure.message);
  } catch (error) {
    throw error instanceof CancelledFailure ? error : withPath(toFailure(error), path);
  }
}

async function endOf(run: () => Promise<StepOutput>): Promise<End> {
  try {
    return { output: await run() };
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
    // `stepFailure` sets no other types.
    return { failure: { type: error.type as FailureType, message: error.message } };
  }
}

function toJson(end: End): Json {
  return end as unknown as Json; // Spend, notes and values are JSON-safe.
}
