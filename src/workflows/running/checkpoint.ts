import { stepWaits } from '../../plan/outcomes/step-waits.js';
import { gateEnd, unattendedEnd } from '../../plan/outcomes/step-ends.js';
import { templatesOf } from '../../plan/references/step-references.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { Step } from '../../plan/step.js';
import { withoutSlot } from './step-runner.js';
import type { Scope } from '../state/context.js';
import { addressOf, carriedGate, pathOf, policiesOf } from '../state/context.js';
import { environmentOf } from '../state/values.js';
import { awaitDecision } from '../gates/gate-book.js';
import { renderOwnGate } from '../gates/own-gate.js';

/** Why a step waits for a person before it acts; null where it does not. */
export function whyChecked({ context }: Scope, step: Step): string | null {
  return stepWaits(step, policiesOf(context));
}

/** Asks a person before a step acts: null where it may, else how it ends. */
export async function askCheckpoint(scope: Scope, step: Step, checkpoint: string): Promise<StepEnd | null> {
  const { context } = scope;
  const { root, nested, settings, gates, carriedGates } = context;
  const path = pathOf(scope, step);
  const carried = carriedGate(scope, step, 'checkpoint');
  if (carried === null) gates.decided.delete(path);
  const gate =
    carried ??
    (await renderOwnGate({
      root,
      nested,
      step: addressOf(scope, step),
      path,
      try: 1,
      environment: environmentOf(scope, templatesOf(step)),
      since: new Date().toISOString(),
      submitter: settings.submitted_by,
      checkpoint,
    }));
  const end =
    unattendedEnd(gate, settings) ?? gateEnd(await withoutSlot(scope, step, () => awaitDecision(gates, gate)), gate);
  // The step itself has not begun: it still has to be counted.
  carriedGates.delete(path);
  return end.status === 'success' ? null : end;
}
