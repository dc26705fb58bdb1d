import {
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunContext } from '../state/context.js';
import { waitsForPeople } from '../state/working.js';

/** What a nested run tells the run that started it: whether all it can do is wait for people. */
interface NestedWaits {
  run: string;
  waiting: boolean;
}

const nestedWaits = defineSignal<[NestedWaits]>('nestedWaits');

/** Listens to nested runs: one that waits for people makes room for another to be started (I11). */
export function receiveNested({ runningSteps, account }: RunContext, onChange: () => void): void {
  setHandler(nestedWaits, (message) => {
    // What one says that has ended meanwhile is about nobody.
    if (!account.below.has(message.run)) return;
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
  if (parent === undefined) return;
  // Two that are under way at once arrive in any order: the second is told once the first has arrived.
  if (runningSteps.telling !== null) return;
  runningSteps.reportedWaiting = waiting;
  // Told also from within what is being cancelled. A parent that has closed needs no telling.
  const told: Promise<void> = CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(parent.workflowId).signal(nestedWaits, { run: context.run, waiting }),
  )
    .catch(() => undefined)
    .then(() => {
      if (runningSteps.telling === told) runningSteps.telling = null;
      tellParent(context);
    });
  runningSteps.telling = told;
}
