import { waitSummary } from '../../plan/names.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { WaitStep } from '../../plan/step.js';
import { LONGEST_WAIT_MS, isDay } from '../../plan/text/moment.js';
import { inline, isStored } from '../../plan/values/value.js';
import type { Scope } from '../state/context.js';
import { pathOf } from '../state/context.js';
import { sleepIn } from '../state/running-steps.js';
import { renderedValues } from '../state/values.js';

/** Lets time pass. What has passed already, before the run continued as new say, is not waited for again. */
export async function runWait(scope: Scope, step: WaitStep): Promise<StepEnd> {
  const { settings, since: begun } = scope.context;
  const since = begun.get(pathOf(scope, step)) ?? Date.now();
  const until = step.until === null ? since + (step.for_ms ?? 0) : await momentOf(scope, step);
  if (typeof until === 'string')
    return invalid(`Expected an ISO 8601 time to wait for, such as 2026-01-31T09:00:00Z, got \`${until}\`.`);
  const now = Date.now();
  const left = until - now;
  if (settings.checks_moments === true && left > LONGEST_WAIT_MS)
    return invalid(`Expected a time within 100 years to wait for, got \`${new Date(until).toISOString()}\`.`);
  if (settings.no_waits === true) return ended(Math.max(now, until));
  if (left > 0) await sleepIn(scope.context.runningSteps, left, waitSummary(pathOf(scope, step)));
  return ended(Date.now());
}

function invalid(message: string): StepEnd {
  return { status: 'error', failure: { type: 'value-invalid', message } };
}

function ended(at: number): StepEnd {
  return { status: 'success', output: inline(new Date(at).toISOString()) };
}

/** The time in epoch milliseconds, or the text that is none. */
async function momentOf(scope: Scope, step: WaitStep): Promise<number | string> {
  const { until } = await renderedValues(scope, step, step.until === null ? {} : { until: step.until });
  const text = until === undefined ? '' : isStored(until) ? (until.preview ?? '') : String(until.value);
  const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)
    ? Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`)
    : NaN;
  const isTaken = !Number.isNaN(moment) && (scope.context.settings.checks_moments !== true || isDay(text.slice(0, 10)));
  return isTaken ? moment : text;
}
