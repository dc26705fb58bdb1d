import { requirementText } from '../../../plan/outcomes/step-ends.js';
import type { StepEnd } from '../../../plan/schedule/schedule-state.js';
import type { Step } from '../../../plan/step.js';
import type { FoldScope } from './fold-scope.js';
import { conditionIn, holdsIn, valueOf } from './fold-scope.js';

const STOPPED = 'the run starts nothing any more';

/** Tells whether a step was passed over that no condition kept from starting. */
export function isPassedOver({ reason }: { reason: string | null }): boolean {
  return reason === STOPPED;
}

/** A step without a condition that was passed over: the run had been stopped. */
export function skipped({ when }: Step): StepEnd {
  return when === null
    ? { status: 'skipped', reason: STOPPED, cut: true }
    : { status: 'skipped', reason: '`when` is false' };
}

/** Where history alone does not tell whether what it requires holds, neither is said. */
export function setEnd(scope: FoldScope, { values, require }: Step & { kind: 'set' }): StepEnd {
  const output = valueOf(scope, { kind: 'map', entries: values });
  const holds = require === undefined ? true : holdsIn(scope, require);
  if (holds === null) return { status: 'skipped', reason: 'what it came to is told when the run has ended' };
  return holds
    ? { status: 'success', output }
    : { status: 'error', failure: { type: 'not-expected', message: requirementText(output) } };
}

/** How a step ends at its turn without an event: what the workflow does by itself. Null where history is not sure. */
export function silentEnd(scope: FoldScope, step: Step): StepEnd | null {
  const holds = conditionIn(scope, step);
  if (holds === false) return skipped(step);
  if (holds === null || step.kind !== 'set') return null;
  const ended = setEnd(scope, step);
  return ended.status === 'skipped' || ('output' in ended && ended.output === null) ? null : ended;
}
