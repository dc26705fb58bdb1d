import {
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  patched,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunContext } from './context.js';
import { climateOf } from './ledger.js';
import { listen } from './listen.js';

/** What a nested run tells the run that started it: whether all it can do is wait for people. */
interface NestedWaits {
  run: string;
  waiting: boolean;
}

const nestedWaits = defineSignal<[NestedWaits]>('nestedWaits');

/** Listens to nested runs: one that waits for people makes room for another to be started (I11). */
export function hearNested({ flight, purse, gates }: RunContext, onChange: () => void): void {
  listen(gates, nestedWaits, (message) => {
    // What one says that has ended meanwhile is about nobody.
    if (!purse.below.has(message.run) && patched('nested-waits-in-order')) return;
    if (message.waiting) flight.waiting.add(message.run);
    else flight.waiting.delete(message.run);
    onChange();
  });
}

/** Whether something other than a person is waited for. */
export function isWorking({ flight, purse }: RunContext): boolean {
  const isPaused = climateOf(purse).pause !== null;
  // What waits for its turn in a paused run waits for people as well.
  return (
    flight.activities +
      flight.computing +
      flight.timers +
      flight.children -
      flight.waiting.size -
      (isPaused ? flight.queued : 0) >
    0
  );
}

/** Whether nothing is in flight but what waits for people. */
export function waitsForPeople(context: RunContext): boolean {
  const { flight, gates, purse } = context;
  return !isWorking(context) && (climateOf(purse).pause !== null || gates.open.size + flight.waiting.size > 0);
}

/** Tells the run that started this one when that changes. A run without gates sends nothing. */
export function tellParent(context: RunContext): void {
  const { flight } = context;
  const waiting = waitsForPeople(context);
  if (waiting === flight.toldWaiting) return;
  const { parent } = workflowInfo();
  if (parent === undefined || !patched('nested-waits')) return;
  // Two that are under way at once arrive in any order: the second is told once the first has arrived.
  if (flight.telling !== null && patched('nested-waits-in-order')) return;
  flight.toldWaiting = waiting;
  const send = (): Promise<void> =>
    getExternalWorkflowHandle(parent.workflowId).signal(nestedWaits, { run: context.run, waiting });
  // A parent that has closed needs no telling.
  const told: Promise<void> = (isHeardAlways() ? CancellationScope.nonCancellable(send) : send())
    .catch(() => undefined)
    .then(() => {
      if (flight.telling === told) flight.telling = null;
      tellParent(context);
    });
  flight.telling = told;
}

/** Whether it is told also from within what is being cancelled. Histories of before hold runs that did not (I14). */
function isHeardAlways(): boolean {
  return !CancellationScope.current().consideredCancelled || patched('nested-waits-in-order');
}
