import { CancellationScope, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import { condition } from '../determinism/condition.js';
import type { KeeperAnswer } from '../../plan/devices/device-queue.js';
import { DEVICE_SIGNAL } from '../../plan/devices/device-queue.js';
import type { Block, DeviceStep } from '../../plan/step.js';
import { everyStep, isDeviceStep } from '../../plan/step.js';
import { isEnd } from '../../plan/schedule/schedule.js';
import { quick } from '../activities.js';
import type { RunContext, Scope } from '../state/context.js';
import { pathOf } from '../state/context.js';
import type { DeviceBook } from '../state/device-book.js';

const deviceSignal = defineSignal<[KeeperAnswer]>(DEVICE_SIGNAL);

/** Listens to the keeper from the first workflow task on. */
export function createDeviceBook(kept: Record<string, string>): DeviceBook {
  const book: DeviceBook = { answers: new Map(), kept: new Map(Object.entries(kept)) };
  setHandler(deviceSignal, (answer) => {
    if (answer.kind !== 'ping') book.answers.set(answer.path, answer.kind === 'granted' ? null : answer.why);
  });
  return book;
}

/** The queue of the host that a device hangs on, where its keeper is. */
function hostOf({ device }: DeviceStep): string {
  return device.task_queue ?? workflowInfo().taskQueue;
}

/** What is leased: one port of one host, whatever a project calls it. */
function leaseKey({ context }: Scope, step: DeviceStep): string {
  return `${hostOf(step)}/${step.device.key}${context.settings.rehearsal ? ' (rehearsal)' : ''}`;
}

/**
 * Waits until a device is this step's, and lets go of it when `use` has ended: kept for this run while a later step
 * needs it as it is, else free for the next who waits. The wait holds no slot and may be continued as new; `use` may
 * not. `refused` makes the end of a step that will never get it.
 */
export async function withLease<T>(
  scope: Scope,
  step: DeviceStep,
  use: () => Promise<T>,
  refused: (why: string) => T,
): Promise<T> {
  const { context } = scope;
  const { devices, root, run, runningSteps } = context;
  const path = pathOf(scope, step);
  const key = leaseKey(scope, step);
  const host = hostOf(step);
  devices.answers.delete(path);
  await quick.tellKeeper(
    { kind: 'request', key, device: step.device.name, tree: root.run, run, path, since: new Date().toISOString() },
    host,
  );
  try {
    // A run that is about to continue as new asks again in its next link.
    await condition(() => devices.answers.has(path) && !runningSteps.draining);
    const why = devices.answers.get(path) ?? null;
    if (why !== null) return refused(why);
    runningSteps.activities += 1;
    try {
      return await use();
    } finally {
      runningSteps.activities -= 1;
    }
  } finally {
    const keep = context.cancelled === null && isNeeded(context, step.device.key);
    if (keep) devices.kept.set(key, step.device.key);
    else devices.kept.delete(key);
    await CancellationScope.nonCancellable(() => quick.tellKeeper({ kind: 'done', key, run, path, keep }, host));
    context.gates.onMessage();
  }
}

/** Tells whether a step of this run that has not ended uses the device. */
function isNeeded({ top }: RunContext, key: string): boolean {
  const open: Block = {
    ...top.schedule.body,
    steps: top.schedule.body.steps.filter(({ index }) => !isEnd(top.schedule.steps[index]?.status ?? 'pending')),
  };
  return [...everyStep(open)].some((step) => isDeviceStep(step) && step.device.key === key);
}

/** Gives back what no step of this run will need any more, after one has ended. */
export async function releaseUnneeded(context: RunContext): Promise<void> {
  const { devices, run, top, cancelled } = context;
  const isOver = top.schedule.open === 0 || cancelled !== null;
  const unneeded = [...devices.kept].filter(([, device]) => isOver || !isNeeded(context, device));
  for (const [key] of unneeded) devices.kept.delete(key);
  await Promise.all(
    unneeded.map(([key, device]) =>
      CancellationScope.nonCancellable(() =>
        quick.tellKeeper({ kind: 'release', key, run }, key.slice(0, key.lastIndexOf(`/${device}`))),
      ),
    ),
  );
}
