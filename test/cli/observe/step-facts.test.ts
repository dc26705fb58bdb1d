import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { createTranslator } from '../../../src/cli/observe/history/events.js';
import type { HistoryEvent } from '../../../src/cli/observe/history/history-values.js';

const SPEND = { usd: 0.5, tokens: 700, steps: 0 };
const payloads = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] });
const failure = (detail: object) => ({
  message: 'The answer was cut off.',
  applicationFailureInfo: { type: 'answer-truncated', details: payloads({ usd: 0.5, tokens: 700, ...detail }) },
});

/** What history says of a turn at this path that failed after it was paid for. */
function factsOf(path: string, isQuick: boolean): object[] {
  const events: HistoryEvent[] = isQuick
    ? [{ markerRecordedEventAttributes: { markerName: 'core_local_activity', failure: failure({ path }) } }]
    : [
        { activityTaskScheduledEventAttributes: { activityId: path, activityType: { name: 'askTurn' } } },
        { activityTaskFailedEventAttributes: { failure: failure({}) } },
      ];
  return events.flatMap(createTranslator());
}

it.each([
  ['', false],
  [' within the workflow task', true],
])('a turn of an agent that was called fails%s: its step has spent that, and goes on', (_how, isQuick) => {
  expect(factsOf('work/1.1/1.0', isQuick).at(-1)).toMatchObject({ kind: 'turn-ended', path: 'work', spend: SPEND });
  expect(factsOf('work/1.0', isQuick).at(-1)).toMatchObject({ kind: 'step-failed', path: 'work', spend: SPEND });
});
