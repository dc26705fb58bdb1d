import { hash } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { givenInput } from '../../activities/triggers/event-input.js';
import { describe } from '../../cli/observe/as-of-now.js';
import { runIdOf } from '../../plan/run-id.js';
import { evaluate, isTrue } from '../../plan/references/evaluate.js';
import { EVENT } from '../../plan/triggers/schedule.js';
import type { StartCall } from '../../plan/triggers/start.js';
import { STARTER, STARTER_PREFIX } from '../../plan/triggers/start.js';
import type { JsonObject } from '../../plan/values/json.js';
import { inline } from '../../plan/values/value.js';
import type { SharedSession } from '../data/shared-link.js';
import type { Hook } from './hook.js';
import { hasPlace } from './places.js';

/** What became of a genuine delivery. */
export type Delivered =
  | { kind: 'started' | 'duplicate'; run: string }
  | { kind: 'ignored' }
  | { kind: 'full' }
  | { kind: 'unfit'; why: string };

/**
 * Starts a run for a delivery, unless one was started for it before. Once this resolves the server has it: whatever
 * dies then, the run begins. Nothing is kept of what starts none.
 */
export async function deliver(
  hook: Hook,
  event: JsonObject & { id: string },
  session: SharedSession,
): Promise<Delivered> {
  const { webhook, prepared, plan, name, ref } = hook;
  const { store } = session;
  if (webhook.when !== null) {
    const scope = { environment: { [`input:${EVENT}`]: inline(event) }, load: noValue, text: String };
    if (!isTrue(evaluate(webhook.when, scope))) return { kind: 'ignored' };
  }
  const given = await givenInput(prepared, { plan, event, store });
  if ('fault' in given) return { kind: 'unfit', why: given.fault };
  const prefix = `${STARTER_PREFIX}${store.id}/${name}/`;
  const starterOf = (key: string): string => `${prefix}${hash('sha256', key).slice(0, 32)}`;
  const runOf = (starter: string): string => runIdOf(plan.name, hash('sha256', starter, 'buffer'));
  const starter = starterOf(JSON.stringify([hook.project, event.id]));
  const run = runOf(starter);
  // What came before projects were told apart was known by its id alone.
  const before = starterOf(event.id);
  for (const known of [run, runOf(before)])
    if ((await store.readRun(known)) !== null) return { kind: 'duplicate', run: known };
  const begin = async (): Promise<Delivered> => {
    const link = await session.connect({ start: true });
    const known = await describe(link, before);
    if (known !== null && known !== 'elsewhere') return { kind: 'duplicate', run: runOf(before) };
    if (!(await hasPlace(hook, { starter, prefix }, { store, link }))) return { kind: 'full' };
    const call: StartCall = { prepared: ref, event: await store.put(event) };
    try {
      await link.client.workflow.start(STARTER, {
        workflowId: starter,
        taskQueue: link.taskQueue,
        args: [call],
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        staticSummary: `starts ${name}`,
      });
      return { kind: 'started', run };
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return { kind: 'duplicate', run };
      throw error;
    }
  };
  return session.patiently(begin);
}

/** An event is at hand as a whole. */
function noValue(): never {
  throw new Error('An event holds no stored values.');
}
