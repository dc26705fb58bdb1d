// What a good Temporal engineer writes for these workloads without Perdure.
import { ActivityCancellationType, executeChild, proxyActivities } from '@temporalio/workflow';
import type * as activities from './activities.js';
import { HEARTBEAT_TIMEOUT, RETRY, START_TO_CLOSE } from './options.js';

const { askModel, runCommand, produce } = proxyActivities<typeof activities>({
  startToCloseTimeout: START_TO_CLOSE,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRY,
});

/** Model calls one after another, each shown the answer before. */
export async function sequential(steps: number): Promise<string> {
  let answer = '';
  for (let step = 0; step < steps; step++) answer = await askModel(`Step ${step}. Before: ${answer}`);
  return answer;
}

/** Commands one after another. */
export async function commands(steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) await runCommand(['true']);
}

/** Independent model calls, at most `window` at a time. */
export async function fanOut(items: number, window: number): Promise<string[]> {
  const answers: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items) {
      const item = next++;
      answers[item] = await askModel(`Item ${item}.`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(window, items) }, lane));
  return answers;
}

/** Children one after another, each a sequence. */
export async function nested(children: number, steps: number): Promise<string> {
  let answer = '';
  for (let child = 0; child < children; child++) answer = await executeChild(sequential, { args: [steps] });
  return answer;
}

/** Values of a size, each used by five later steps. */
export async function reuse(kilobytes: number): Promise<string> {
  const value = await produce(kilobytes);
  let last = '';
  for (let user = 0; user < 5; user++) last = await askModel(`User ${user} of ${value}`);
  return last;
}
