import { CancellationScope, log, sleep, workflowInfo } from '@temporalio/workflow';

// Workflows of no Plan, for what the thread does that runs them.

/**
 * Never comes back, where an `await` went on in a scope: there Node ends the process when a call's own time limit is
 * over.
 */
export async function hang(): Promise<void> {
  await CancellationScope.cancellable(async () => {
    await sleep(1);
    for (;;);
  });
}

/** Says which run it is, after every one of some timers: by what the SDK tells it, and by a global that it has set. */
export async function names(timers: number): Promise<[string, string | undefined][]> {
  const own = globalThis as { said?: string }; // a global that nobody declares
  own.said ??= workflowInfo().workflowId;
  const said: [string, string | undefined][] = [];
  for (let timer = 0; timer < timers; timer++) {
    await sleep(1);
    said.push([workflowInfo().workflowId, own.said]);
  }
  return said;
}

/** Logs in its second task, and in no other. */
export async function logs(text: string): Promise<void> {
  await sleep(1);
  log.warn(text);
  await sleep(1);
}
