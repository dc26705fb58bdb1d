// What a good Temporal engineer writes for these workloads without Perdure.
import {
  ActivityCancellationType,
  condition,
  continueAsNew,
  defineSignal,
  executeChild,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type Anthropic from '@anthropic-ai/sdk';
import type * as activities from './activities.js';
import { ACTIVITY_OPTIONS, STEPS_PER_LINK } from './options.js';

const { askModel, askTurn, readText, runCommand } = proxyActivities<typeof activities>({
  ...ACTIVITY_OPTIONS,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** The same as local activities, with no journal behind them: what a worker that is lost has done is done again. */
const local = proxyLocalActivities<typeof activities>({ startToCloseTimeout: ACTIVITY_OPTIONS.startToCloseTimeout });

/** Commands one after another, as local activities. */
export async function commandsLocally(steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) await local.runCommand(['true']);
}

/** A file read again and again. */
export async function readsLocally(steps: number, folder: string, path: string): Promise<void> {
  for (let step = 0; step < steps; step++) await local.readText(folder, path);
}

/** Short questions to a model. */
export async function asksLocally(steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) await local.askModel(`Short ${step}.`);
}

/** Model calls one after another, each shown the answer before. */
export async function sequential(steps: number): Promise<string> {
  let answer = '';
  for (let step = 0; step < steps; step++) answer = await askModel(`Step ${step}. Before: ${answer}`);
  return answer;
}

/** The same for long runs, whose history must stay bounded. `done` and `before` are what travels. */
export async function longSequence(steps: number, done = 0, before = ''): Promise<string> {
  let answer = before;
  const end = Math.min(steps, done + STEPS_PER_LINK);
  for (let step = done; step < end; step++) answer = await askModel(`Step ${step}. Before: ${answer}`);
  return end < steps ? continueAsNew<typeof longSequence>(steps, end, answer) : answer;
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

/** Children inside children; the innermost does the steps. */
export async function deep(depth: number, steps: number): Promise<string> {
  return depth === 0 ? sequential(steps) : executeChild(deep, { args: [depth - 1, steps] });
}

/** Values of a size, each used by five later steps. */
export async function reuse(argv: string[], values: number): Promise<string> {
  let last = '';
  for (let made = 0; made < values; made++) {
    const value = await runCommand(argv);
    for (let user = 0; user < 5; user++) last = await askModel(`User ${user} of ${value}`);
  }
  return last;
}

/**
 * An agent as Temporal's integrations of AI kits write it: the workflow has the messages, and passes them with each
 * turn.
 */
export function agent(prompt: string, folder: string): Promise<string> {
  return converse(prompt, folder, { askTurn, readText });
}

/** The same as local activities. */
export function agentLocally(prompt: string, folder: string): Promise<string> {
  return converse(prompt, folder, local);
}

async function converse(
  prompt: string,
  folder: string,
  acts: Pick<typeof activities, 'askTurn' | 'readText'>,
): Promise<string> {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }];
  for (;;) {
    const content = await acts.askTurn(messages);
    messages.push({ role: 'assistant', content });
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    const results = await Promise.all(
      calls.map(async ({ id, input }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: await acts.readText(folder, (input as { path: string }).path),
      })),
    ); // as the tool's schema says
    messages.push({ role: 'user', content: results });
  }
}

const decide = defineSignal<[string]>('decide');

/** Asks a person and waits. */
export async function approval(): Promise<string> {
  let decision: string | null = null;
  setHandler(decide, (said) => {
    decision = said;
  });
  await condition(() => decision !== null);
  return decision ?? '';
}
