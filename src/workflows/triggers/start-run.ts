import {
  SearchAttributeType,
  TypedSearchAttributes,
  WorkflowExecutionAlreadyStartedError,
  defineSearchAttributeKey,
} from '@temporalio/common';
import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  isCancellation,
  setDefaultSignalHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { INTERPRETER } from '../../plan/names.js';
import type { RunOutcome } from '../../plan/result.js';
import type { RunInput } from '../../plan/run-input.js';
import type { BegunRun, StartCall, StartedRun } from '../../plan/triggers/start.js';
import { inline } from '../../plan/values/value.js';
import { quick } from '../activities.js';
import { cutOff, outcomeIn, toRunError } from '../failures.js';

/** When a schedule's run was due; the server sets it. */
const DUE = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/**
 * Starts a run for which no command line is there, and is open for as long as it is: by that the server knows whether
 * runs of one schedule would overlap. What starts it may be started again; the run is not.
 */
export async function perdureStart({ prepared, event }: StartCall): Promise<StartedRun> {
  // A run tells the workflow above it whether it waits for people, which is nothing to this one.
  setDefaultSignalHandler(() => undefined);
  try {
    const { workflowId: starter, typedSearchAttributes, startTime } = workflowInfo();
    const due = typedSearchAttributes.get(DUE) ?? startTime;
    const begun = await quick.beginRun({ prepared, starter, event: event ?? inline({ time: due.toISOString() }) });
    return { run: begun.run, status: 'joined' in begun ? 'joined' : await follow(begun) };
  } catch (error) {
    throw toRunError(error);
  }
}

/** Starts the run and waits for its end. Cancelled, it cancels the run and waits for that. */
async function follow({ run, input, summary, details, memo, attributes }: BegunRun): Promise<string> {
  try {
    const child = await startChild<(input: RunInput) => Promise<RunOutcome>>(INTERPRETER, {
      workflowId: run,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      // It is a run of its own: whoever ends this workflow does not mean it.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      staticSummary: summary,
      ...details,
      memo,
      ...(attributes === undefined ? {} : { typedSearchAttributes: typed(attributes) }),
    });
    return (await child.result()).status;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'joined';
    const outcome = outcomeIn(error);
    if (outcome !== null) return outcome.status;
    if (isCancellation(error)) throw error;
    return cutOff(error) ?? 'error';
  }
}

function typed(attributes: Record<string, string>): TypedSearchAttributes {
  return new TypedSearchAttributes(
    Object.entries(attributes).map(([name, value]) => ({
      key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
      value,
    })),
  );
}
