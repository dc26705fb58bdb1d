import { CancellationScope, continueAsNew, workflowInfo } from '@temporalio/workflow';
import { carrySchedule } from '../plan/carry.js';
import type { RunOutcome } from '../plan/result.js';
import type { Carried, RunInput } from '../plan/run-input.js';
import type { Value } from '../plan/value.js';
import { writeResults } from './closing.js';
import type { RunContext } from './context.js';

/** Thresholds of I12. */
const EVENTS = 4_000;
const BYTES = 3 * 1024 * 1024;
const STEPS = 500;
const SIGNALS = 2_000;
const UPDATES = 1_000;
/** Nested runs do not travel; while some are in flight the run goes on up to here (I12). */
const EVENTS_WITH_CHILDREN = 20_000;
const BYTES_WITH_CHILDREN = 16 * 1024 * 1024;

/** Whether the run should stop starting steps and, once nothing is in flight, continue as new (I12). */
export function shouldContinue({ schedule, gates }: RunContext, childrenInFlight: number): boolean {
  const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
  if (childrenInFlight > 0) return historyLength >= EVENTS_WITH_CHILDREN || historySize >= BYTES_WITH_CHILDREN;
  const { signals, updates } = gates.messages;
  return continueAsNewSuggested || historyLength >= EVENTS || historySize >= BYTES || schedule.ended.length >= STEPS || signals >= SIGNALS || updates >= UPDATES;
}

/** Ends this Temporal run and starts the next of the chain with what it needs. Never returns. */
export async function continueRun(context: RunContext, input: RunInput): Promise<never> {
  const pages = await CancellationScope.nonCancellable(() => writeAll(context));
  const { schedule, gates, startedAt } = context;
  const carried: Carried = { ...carrySchedule(schedule), gates: [...gates.open.values()], decisions: [...gates.decided.values()].filter(({ gate }) => gates.open.has(gate)), pages, started_at: startedAt };
  return continueAsNew<(input: RunInput) => Promise<RunOutcome>>({ ...input, carried });
}

/** Writes all results. A gate may be decided meanwhile, so it looks again until nothing is left to write. */
async function writeAll(context: RunContext): Promise<Value[]> {
  const pages = [...context.pages];
  for (let written = 0; written < context.schedule.ended.length; ) {
    const upTo = context.schedule.ended.length;
    const page = await writeResults(context, written);
    if (page !== null) pages.push(page);
    written = upTo;
  }
  return pages;
}
