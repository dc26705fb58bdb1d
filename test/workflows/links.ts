import type { HistoryEvent } from '../../src/cli/observe/events.js';
import type { Harness, RunHandle } from './harness.js';

/** One Temporal run of a chain. */
export interface Link {
  events: number;
  bytes: number;
  /** The most activities, and the most nested runs, that were under way at once. */
  activities: number;
  children: number;
}

/** Every Temporal run of a chain, in order. */
export async function linksOf({ client }: Harness, { workflowId, firstExecutionRunId }: Pick<RunHandle, 'workflowId' | 'firstExecutionRunId'>): Promise<Link[]> {
  const links: Link[] = [];
  for (let runId: string | null = firstExecutionRunId; runId !== null; ) {
    const link: AnyRun = client.workflow.getHandle(workflowId, runId);
    const { raw } = await link.describe();
    const events: HistoryEvent[] = (await link.fetchHistory()).events ?? [];
    const activities = most(events, ['activityTaskScheduledEventAttributes'], ['activityTaskCompletedEventAttributes']);
    const children = most(events, ['startChildWorkflowExecutionInitiatedEventAttributes'], ['childWorkflowExecutionCompletedEventAttributes', 'childWorkflowExecutionFailedEventAttributes']);
    links.push({ events: events.length, bytes: Number(raw.workflowExecutionInfo?.historySizeBytes ?? 0), activities, children });
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? null;
  }
  return links;
}

type AnyRun = ReturnType<Harness['client']['workflow']['getHandle']>;

function most(events: HistoryEvent[], begins: (keyof HistoryEvent)[], ends: (keyof HistoryEvent)[]): number {
  let open = 0;
  let top = 0;
  for (const event of events) {
    if (begins.some((key) => event[key])) top = Math.max(top, ++open);
    if (ends.some((key) => event[key])) open -= 1;
  }
  return top;
}
