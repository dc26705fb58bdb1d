import type { HistoryEvent } from '../../../src/cli/observe/history/history-values.js';
import { NEXT_TASK_ID } from '../../../src/plan/names.js';
import type { Harness, RunHandle } from './harness.js';

/** One Temporal run of a chain. */
export interface Link {
  events: number;
  bytes: number;
  /** The most activities of steps, and the most nested runs, that were under way at once. */
  activities: number;
  children: number;
}

/** Every Temporal run of a chain, in order. */
export async function linksOf(
  { client }: Harness,
  { workflowId, firstExecutionRunId }: Pick<RunHandle, 'workflowId' | 'firstExecutionRunId'>,
): Promise<Link[]> {
  const links: Link[] = [];
  for (let runId: string | null = firstExecutionRunId; runId !== null;) {
    const link: AnyRun = client.workflow.getHandle(workflowId, runId);
    const { raw } = await link.describe();
    const events: HistoryEvent[] = (await link.fetchHistory()).events ?? [];
    const activities = most(
      withoutNextTasks(events),
      ['activityTaskScheduledEventAttributes'],
      ['activityTaskCompletedEventAttributes'],
    );
    const children = most(
      events,
      ['startChildWorkflowExecutionInitiatedEventAttributes'],
      ['childWorkflowExecutionCompletedEventAttributes', 'childWorkflowExecutionFailedEventAttributes'],
    );
    links.push({
      events: events.length,
      bytes: Number(raw.workflowExecutionInfo?.historySizeBytes ?? 0),
      activities,
      children,
    });
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? null;
  }
  return links;
}

type AnyRun = ReturnType<Harness['client']['workflow']['getHandle']>;

/** What begins a workflow task is no step. */
function withoutNextTasks(events: HistoryEvent[]): HistoryEvent[] {
  const begins = events.filter((event) => event.activityTaskScheduledEventAttributes?.activityId === NEXT_TASK_ID);
  const ids = new Set(begins.map(({ eventId }) => String(eventId)));
  return events.filter(
    (event) =>
      !begins.includes(event) && !ids.has(String(event.activityTaskCompletedEventAttributes?.scheduledEventId)),
  );
}

function most(events: HistoryEvent[], begins: (keyof HistoryEvent)[], ends: (keyof HistoryEvent)[]): number {
  let open = 0;
  let top = 0;
  for (const event of events) {
    if (begins.some((key) => event[key])) top = Math.max(top, ++open);
    if (ends.some((key) => event[key])) open -= 1;
  }
  return top;
}
