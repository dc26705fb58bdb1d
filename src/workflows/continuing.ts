import { CancellationScope, continueAsNew, workflowInfo } from '@temporalio/workflow';
import { rootsOf } from '../plan/environment.js';
import type { Template } from '../plan/expression.js';
import type { RunOutcome } from '../plan/result.js';
import type { Carried, CarriedStep, RunInput } from '../plan/run-input.js';
import { createSchedule, lettersOf, statusesFrom } from '../plan/schedule.js';
import type { Schedule } from '../plan/schedule.js';
import type { Step } from '../plan/step.js';
import type { Value } from '../plan/value.js';
import { writeResults } from './closing.js';
import type { RunContext } from './context.js';

/** Thresholds of I12. */
const EVENTS = 4_000;
const BYTES = 3 * 1024 * 1024;
const STEPS = 500;
/** Nested runs do not travel; while some are in flight the run goes on up to here (I12). */
const EVENTS_WITH_CHILDREN = 20_000;
const BYTES_WITH_CHILDREN = 16 * 1024 * 1024;

/** Whether the run should stop starting steps and, once nothing is in flight, continue as new (I12). */
export function shouldContinue(endedHere: number, childrenInFlight: number): boolean {
  const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
  if (childrenInFlight > 0) return historyLength >= EVENTS_WITH_CHILDREN || historySize >= BYTES_WITH_CHILDREN;
  return continueAsNewSuggested || historyLength >= EVENTS || historySize >= BYTES || endedHere >= STEPS;
}

/** Ends this Temporal run and starts the next of the chain with what it needs. Never returns. */
export async function continueRun(context: RunContext, input: RunInput): Promise<never> {
  const pages = await CancellationScope.nonCancellable(() => writeAll(context));
  const { schedule, gates, startedAt } = context;
  const carried: Carried = {
    statuses: lettersOf(schedule),
    steps: carriedSteps(schedule),
    gates: [...gates.open.values()],
    stopped: schedule.stopped,
    failures: schedule.failures,
    spend: schedule.spend,
    pages,
    started_at: startedAt,
  };
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

/** Of finished steps, only those travel that a step still to come, or the output, can refer to (I12). */
function carriedSteps(schedule: Schedule): Record<number, CarriedStep> {
  const { body, steps } = schedule;
  const pending = body.steps.filter(({ index }) => ['pending', 'running'].includes(steps[index]?.status ?? ''));
  const wanted = new Set(pending.flatMap(templatesOf).flatMap((template) => indexesOf(schedule, template)));
  for (const index of body.output === null ? [body.steps.length - 1] : indexesOf(schedule, body.output)) wanted.add(index);
  return Object.fromEntries(
    [...wanted].flatMap((index) => {
      const state = steps[index];
      return state === undefined ? [] : [[index, { output: state.output, failure: state.failure, duration_ms: state.duration_ms }]];
    }),
  );
}

function indexesOf(schedule: Schedule, template: Template): number[] {
  return rootsOf([template]).flatMap((root) => {
    const step = /^step:(\d+)/.exec(root)?.[1];
    if (step !== undefined) return [Number(step)];
    const group = /^group:(.+)\.[^.]+$/.exec(root)?.[1];
    return group === undefined ? [] : (schedule.body.groups[group] ?? []);
  });
}

/** Every template of a step. */
function templatesOf(step: Step): Template[] {
  const when: Template[] = step.when === null ? [] : [{ kind: 'expression', expression: step.when }];
  switch (step.kind) {
    case 'agent':
      return [...when, ...present(step.prompt, step.rehearsal), ...Object.values(step.inputs)];
    case 'command':
      return [...when, ...step.argv, ...present(step.cwd, step.stdin), ...Object.values(step.env)];
    case 'workflow':
      return [...when, ...Object.values(step.inputs)];
    case 'approval':
      return [...when, step.message, ...present(step.content)];
  }
}

function present(...templates: (Template | null)[]): Template[] {
  return templates.filter((template) => template !== null);
}

/** The schedule as it was when the run continued as new: ended steps have ended, the rest is ready by its needs. */
export function restoreSchedule(body: Schedule['body'], carried: Carried | null): Schedule {
  const schedule = createSchedule(body);
  if (carried === null) return schedule;
  const statuses = statusesFrom(carried.statuses);
  statuses.forEach((status, index) => {
    const state = schedule.steps[index];
    if (state === undefined || status === 'pending' || status === 'running') return;
    Object.assign(state, { status }, carried.steps[index]);
    schedule.open -= 1;
    schedule.ready.delete(index);
    if (status === 'success') schedule.succeeded += 1;
    for (const { step } of schedule.dependents[index] ?? []) {
      schedule.blockers[step]! -= 1; // blockers has one number a step
      if (schedule.blockers[step] === 0 && statuses[step] !== undefined && ['pending', 'running'].includes(statuses[step])) schedule.ready.add(step);
    }
  });
  return Object.assign(schedule, { stopped: carried.stopped, failures: carried.failures, spend: carried.spend });
}
