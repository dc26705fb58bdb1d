import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { MEMO } from '../../plan/names.js';
import { openMessage } from '../encryption/open-message.js';

/**
 * Tells whether any open run has work that a worker could do now, or when a time has passed, or a schedule will start
 * one. A run that only waits for people or for children has none.
 */
export async function hasOpenWork(client: Client): Promise<boolean> {
  if (await startsByItself(client)) return true;
  for await (const run of client.workflow.list({ query: 'ExecutionStatus = "Running"' })) {
    if (await hasWork(client, { workflowId: run.workflowId, runId: run.runId, memo: run.memo })) return true;
  }
  return false;
}

/** Tells whether a schedule will start a run, however late. */
async function startsByItself(client: Client): Promise<boolean> {
  for await (const { state, info } of client.schedule.list()) {
    if (!state.paused && info.nextActionTimes.length > 0) return true;
  }
  return false;
}

interface OpenRun {
  workflowId: string;
  runId: string;
  memo: Record<string, unknown> | undefined;
}

async function hasWork(client: Client, run: OpenRun): Promise<boolean> {
  const { raw } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
  if ((raw.pendingActivities ?? []).length > 0) return true;
  const waiting = run.memo?.[MEMO.waiting];
  // What its children wait for or work at shows in themselves. A run that waits for nobody has a task, or a timer to
  // come.
  const waits = (Array.isArray(waiting) && waiting.length > 0) || (raw.pendingChildren ?? []).length > 0;
  return !waits || letsTimePass(client, run, Number(raw.workflowExecutionInfo?.historyLength ?? 0));
}

/** Named by the interpreter: the clock of `max_runtime_mins` drives no run on. */
const CLOCK = 'max_runtime_mins';

/** What the history of a run of this length told; it is asked every ten seconds while others work. */
const known = new Map<string, { length: number; passes: boolean }>();

/**
 * Tells whether a time passes in a run, beside what it waits for: a wait, or the pause before a step's next try. A time
 * that is over counts until a worker has answered the task it led to: what follows it is not begun before. The deadline
 * of a gate is none: its timer has no name, and is honoured when somebody comes back.
 */
async function letsTimePass(client: Client, { workflowId, runId }: OpenRun, length: number): Promise<boolean> {
  const last = known.get(runId);
  if (last?.length === length) return last.passes;
  const { events } = await openMessage(client, await client.workflow.getHandle(workflowId, runId).fetchHistory());
  // It went on between the two questions: what its pending work was is not known any more.
  if ((events ?? []).length > length) return true;
  const passes = hasTimers(events ?? [], client);
  known.set(runId, { length, passes });
  return passes;
}

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

function hasTimers(events: Events, { options }: Pick<Client, 'options'>): boolean {
  const read = (payload: Payload): unknown => options.loadedDataConverter.payloadConverter.fromPayload(payload);
  const timers = new Set<string>();
  const over = new Set<string>();
  for (const {
    timerStartedEventAttributes: started,
    timerFiredEventAttributes: fired,
    timerCanceledEventAttributes: cancelled,
    workflowTaskCompletedEventAttributes: answered,
    userMetadata,
  } of events) {
    const summary: unknown = userMetadata?.summary && read(userMetadata.summary);
    const isNamed = typeof summary === 'string' && summary !== '' && summary !== CLOCK;
    if (started?.timerId && isNamed) timers.add(started.timerId);
    if (fired?.timerId && timers.delete(fired.timerId)) over.add(fired.timerId);
    if (cancelled?.timerId) timers.delete(cancelled.timerId);
    if (answered) over.clear();
  }
  return timers.size + over.size > 0;
}
