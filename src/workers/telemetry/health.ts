import type { Check } from './health-server.js';
import type { ToldWorker } from './told-worker.js';

/** Who does not answer in this time does not answer. */
const PATIENCE_MS = 2_000;
/** `TASK_QUEUE_TYPE_WORKFLOW` of Temporal's API. */
const WORKFLOW = 1;

/** What `/healthz` and `/readyz` look at: the worker itself, its place at the server, and its store. */
export function healthOf({ store, connection, namespace, taskQueue, identity, state }: ToldWorker): {
  alive: () => Check[];
  ready: () => Promise<Check[]>;
} {
  async function polls(): Promise<string | null> {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: WORKFLOW,
    });
    return (pollers ?? []).some((poller) => poller.identity === identity) ? null : 'it does not poll its queue';
  }

  async function reads(): Promise<null> {
    await store.readRun('health'); // whether it is there says nothing
    return null;
  }

  return {
    alive: () => {
      const now = state();
      return [checked('worker', now === 'FAILED' || now === 'STOPPED' ? `it has ended: ${now.toLowerCase()}` : null)];
    },
    async ready() {
      const now = state();
      const [server, kept] = await Promise.all([within(polls), within(reads)]);
      const takes = checked('takes', now === 'RUNNING' ? null : 'it takes nothing new: it drains');
      return [takes, checked('temporal', server), checked('store', kept)];
    },
  };
}

function checked(name: string, wrong: string | null): Check {
  return { name, ok: wrong === null, ...(wrong === null ? {} : { detail: wrong }) };
}

/** What is wrong. No error's own words: they name addresses. */
async function within(look: () => Promise<string | null>): Promise<string | null> {
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve(`no answer in ${String(PATIENCE_MS / 1000)} s`), PATIENCE_MS).unref();
  });
  return Promise.race([look().catch(() => 'it is not reached'), late]);
}
