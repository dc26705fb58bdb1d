import type { ConnectionLike } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../plan/names.js';
import type { MetricBook, Point } from './metrics.js';

/** `TASK_QUEUE_TYPE_*` of Temporal's API. */
const TYPES = { workflow: 1, activity: 2 } as const;
/** How runs stand that are open, in the words of the search attribute. */
const STANDS = ['running', 'waiting', 'paused'] as const;

/** What is asked of the server for gauges, and of which queue. */
export interface QueuePlace {
  client: Client;
  connection: Pick<ConnectionLike, 'workflowService'>;
  namespace: string;
  taskQueue: string;
}

/** Shows what waits in the queue, and how its open runs stand. Throws where the server does not answer. */
export async function showQueue(place: QueuePlace, book: MetricBook): Promise<void> {
  const [backlog, age]: [Point[], Point[]] = [[], []];
  for (const [type, taskQueueType] of Object.entries(TYPES)) {
    const { stats } = await place.connection.workflowService.describeTaskQueue({
      namespace: place.namespace,
      taskQueue: { name: place.taskQueue },
      taskQueueType,
      reportStats: true,
    });
    // A server before 1.29 tells none.
    if (!stats) continue;
    const { approximateBacklogCount: count, approximateBacklogAge: oldest } = stats;
    backlog.push({ labels: { type }, value: Number(count ?? 0) });
    age.push({ labels: { type }, value: Number(oldest?.seconds ?? 0) + Number(oldest?.nanos ?? 0) / 1e9 });
  }
  book.set('perdure_queue_backlog', backlog);
  book.set('perdure_queue_backlog_age_seconds', age);
  book.set('perdure_runs_open', await openRuns(place));
}

async function openRuns({ client, taskQueue }: QueuePlace): Promise<Point[]> {
  const open = `TaskQueue = "${taskQueue}" AND ExecutionStatus = "Running"`;
  const countOf = async (query: string): Promise<number> => (await client.workflow.count(query)).count;
  try {
    const counts = STANDS.map(async (status) => ({
      labels: { status },
      value: await countOf(`${open} AND ${SEARCH_ATTRIBUTES.status} = "${status}"`),
    }));
    return await Promise.all(counts);
  } catch {
    // A server that does not know our search attributes.
    return [{ labels: { status: 'open' }, value: await countOf(open) }];
  }
}
