import { CancellationScope, continueAsNew, patched, workflowInfo } from '@temporalio/workflow';
import { carrySchedule, rootsAfterRound } from '../plan/carry.js';
import type { RunOutcome } from '../plan/result.js';
import type { Carried, CarriedBlock, CarriedScope, RunInput } from '../plan/run-input.js';
import { quick } from './activities.js';
import { writeResults } from './closing.js';
import type { RunContext, Scope } from './context.js';
import { carryPurse } from './ledger.js';
import { isWorking } from './nested-waits.js';
import type { Rounds } from './rounds.js';

/** Thresholds of I12. */
const EVENTS = 4_000;
const BYTES = 3 * 1024 * 1024;
const STEPS = 500;
const SIGNALS = 2_000;
const UPDATES = 1_000;
/** Nested runs do not travel; while some are in flight the run goes on up to here (I12). */
const EVENTS_WITH_CHILDREN = 20_000;
const BYTES_WITH_CHILDREN = 16 * 1024 * 1024;

/**
 * Whether the run should stop starting steps and, once nothing is in flight, continue as new (I12). Nested runs are
 * waited for, unless all that is in flight waits for people: that may take days, and the run goes on meanwhile; so it
 * does while it keeps a device for its later steps, for which others may wait.
 */
export function shouldContinue(context: RunContext): boolean {
  const { flight } = context;
  const { historyLength, historySize } = workflowInfo();
  if (flight.children === 0) return isLong(context);
  if (historyLength >= EVENTS_WITH_CHILDREN || historySize >= BYTES_WITH_CHILDREN) return true;
  return isLong(context) && isWorking(context) && context.devices.kept.size === 0 && patched('drains-nested-runs');
}

function isLong(context: RunContext): boolean {
  const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
  const { signals, updates } = context.gates.messages;
  return continueAsNewSuggested || historyLength >= EVENTS || historySize >= BYTES || endedIn(context) >= STEPS || signals >= SIGNALS || updates >= UPDATES;
}

/** Steps that ended in this Temporal run, wherever. */
function endedIn({ flight, top }: RunContext): number {
  return top.schedule.ended.length + flight.endedBelow;
}

/** Ends this Temporal run and starts the next of the chain with what it needs. Never returns. */
export async function continueRun(top: Scope, input: RunInput): Promise<never> {
  const { context } = top;
  const carried = await CancellationScope.nonCancellable(() => carryRun(context));
  return continueAsNew<(input: RunInput) => Promise<RunOutcome>>({ ...input, carried });
}

/** A gate may be decided while results are written, so it looks again until nothing is left to write. */
async function carryRun(context: RunContext): Promise<Carried> {
  for (let before = -1; before !== endedIn(context); ) {
    before = endedIn(context);
    await writeScope(context.top);
    for (const rounds of context.rounds.values()) await writeRounds(rounds);
  }
  const { gates, top, startedAt } = context;
  const blocks = Object.fromEntries([...context.rounds].map(([path, rounds]) => [path, carryRounds(rounds)]));
  return {
    ...carryScope(top), gates: [...gates.open.values()], decisions: [...gates.decided.values()].filter(({ gate }) => gates.open.has(gate)),
    purse: carryPurse(context.purse), blocks, since: Object.fromEntries(context.since), ...(context.conversations.size === 0 ? {} : { conversations: Object.fromEntries(context.conversations) }),
    ...(context.tried.size === 0 ? {} : { tried: Object.fromEntries(context.tried) }), ...(context.devices.kept.size === 0 ? {} : { devices: Object.fromEntries(context.devices.kept) }), started_at: startedAt,
  };
}

async function writeScope(scope: Scope): Promise<void> {
  const page = await writeResults(scope, scope.written);
  if (page !== null) scope.pages.push(page);
  scope.written = scope.schedule.ended.length;
}

async function writeRounds(rounds: Rounds): Promise<void> {
  const results = rounds.results.splice(0);
  if (results.length > 0) rounds.pages.push(await quick.writePage(results));
  for (const scope of rounds.open.values()) await writeScope(scope);
}

function carryScope(scope: Scope, later: string[] = []): CarriedScope {
  return { ...carrySchedule(scope.schedule, later), pages: scope.pages };
}

function carryRounds({ step, items, next, end, open, last, succeeded, failures, spend, pages }: Rounds): CarriedBlock {
  const later = step.kind === 'loop' ? rootsAfterRound(step) : [];
  return {
    items, next, ...(end === undefined ? {} : { end }), succeeded, failures, spend, pages, last: last === null ? null : { ...carryScope(last, later), pages: [] },
    open: Object.fromEntries([...open].map(([index, scope]) => [index, carryScope(scope, later)])),
  };
}
