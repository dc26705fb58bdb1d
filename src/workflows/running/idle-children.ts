import {
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  patched,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunContext } from '../state/context.js';
import { listen } from '../state/early-messages.js';
import { waitsForPeople } from '../state/working.js';

/** What a nested run tells the run that started it: whether all it can do is wait for people. */
interface NestedWaits {
  run: string;
  waiting: boolean;
}

const nestedWaits = defineSignal<[NestedWaits]>('nestedWaits');

/** Listens to nested runs: one that waits for people makes room for another to be started (I11). */
export function receiveNested({ runningSteps, account, gates }: RunContext, onChange: () => void): void {
  listen(gates, nestedWaits, (message) => {
    // What one says that has ended meanwhile is about nobody.
    if (!account.below.has(message.run) && patched('nested-waits-in-order')) return;
    if (message.waiting) runningSteps.waiting.add(message.run);
    else runningSteps.waiting.delete(message.run);
    onChange();
  });
}

/** Tells the run that started this one when that changes. A run without gates sends nothing. */
export function tellParent(context: RunContext): void {
  const { runningSteps } = context;
  const waiting = waitsForPeople(context);
  if (waiting === runningSteps.reportedWaiting) return;
  const { parent } = workflowInfo();
  if (parent === undefined || !patched('nested-waits')) return;
  // Two that are under way at once arrive in any order: the second is told once the first has arrived.
  if (runningSteps.telling !== null && patched('nested-waits-in-order')) return;
  runningSteps.reportedWaiting = waiting;
  const send = (): Promise<void> =>
    getExternalWorkflowHandle(parent.workflowId).signal(nestedWaits, { run: context.run, waiting });
  // A parent that has closed needs no telling.
  const told: Promise<void> = (isHeardAlways() ? CancellationScope.nonCancellable(send) : send())
    .catch(() => undefined)
    .then(() => {
      if (runningSteps.telling === told) runningSteps.telling = null;
      tellParent(context);
    });
  runningSteps.telling = told;
}

/**
 * Tells whether it is told also from within what is being cancelled. Earlier histories hold runs that did not (I14).
 */
function isHeardAlways(): boolean {
  return !CancellationScope.current().consideredCancelled || patched('nested-waits-in-order');
}
