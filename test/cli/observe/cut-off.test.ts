import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { createTranslator } from '../../../src/cli/observe/history/events.js';
import type { HistoryEvent } from '../../../src/cli/observe/history/history-values.js';
import type { RunEvent } from '../../../src/cli/observe/history/run-event.js';
import { LEDGER } from '../../../src/plan/names.js';
import { foldOf, recordedEvents } from '../helpers/recorded.js';

const HOURS_2 = 7_200_000;
const { run, events } = recordedEvents('nested');
const nestedStart = events.findIndex(({ kind }) => kind === 'nested-started');
const startedAt = Date.parse(events[nestedStart]?.at ?? '');

/** How the step of the nested run is told, which may take 10 minutes, was cut off after 2 hours, and why. */
function told(why: string | null, settings: { limits_work?: true }): unknown {
  const [first] = events;
  if (first?.kind !== 'run-started') throw new Error('This history has no beginning');
  const { input } = first;
  const steps = input.plan.steps.map((step) => (step.kind === 'workflow' ? { ...step, timeout_ms: 600_000 } : step));
  const begun: RunEvent = {
    ...first,
    input: { ...input, plan: { ...input.plan, steps }, settings: { ...input.settings, ...settings } },
  };
  const workflowExecution = { workflowId: `${run}/leaf` };
  const eventTime = { seconds: Math.floor((startedAt + HOURS_2) / 1000), nanos: 0 };
  const mail = { payloads: [defaultPayloadConverter.toPayload({ from: run, cut: why })] };
  // All of these events that is looked at.
  const cutOff = [
    ...(why === null
      ? []
      : [
          {
            eventTime,
            signalExternalWorkflowExecutionInitiatedEventAttributes: {
              workflowExecution,
              signalName: LEDGER,
              input: mail,
            },
          },
        ]),
    { eventTime, requestCancelExternalWorkflowExecutionInitiatedEventAttributes: { workflowExecution } },
    { eventTime, childWorkflowExecutionCanceledEventAttributes: { workflowExecution } },
  ] as unknown as HistoryEvent[];
  const seen = [begun, ...events.slice(1, nestedStart + 1), ...cutOff.flatMap(createTranslator())];
  const [step] = foldOf(run, seen).top.schedule.steps.slice(1);
  return [step?.status, step?.failure?.message];
}

describe('a nested run that this run has cut off after more time than it may take', () => {
  const LATE = ['timeout', 'The nested run did not end within 600 s.'];
  const CANCELLED = ['error', 'cancelled'];

  it('was cut off for another reason where the run said another: it may have waited for people', () => {
    expect(told('`check` failed', { limits_work: true })).toEqual(CANCELLED);
    expect(told(null, { limits_work: true })).toEqual(CANCELLED);
  });

  it('did not end in time where the run said so, or where its time does not stand still', () => {
    expect(told('`leaf` did not end within 600 s', { limits_work: true })).toEqual(LATE);
    expect(told(null, {})).toEqual(LATE);
  });
});
