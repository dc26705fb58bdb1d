import { endAlone, ownGateEnd } from '../../plan/outcomes/step-ends.js';
import type { Gate } from '../../plan/gates/gate.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { ApprovalStep, AskStep } from '../../plan/step.js';
import { templatesOf } from '../../plan/references/step-references.js';
import type { Scope } from '../state/context.js';
import { addressOf, pathOf } from '../state/context.js';
import { awaitDecision } from '../gates/gate-book.js';
import { environmentOf } from '../state/values.js';
import { renderOwnGate } from '../gates/own-gate.js';

/**
 * An approval or a question: shows it and waits for people (decision 4), unless the run was started to decide by
 * itself. The gate stays as it was shown before the run continued as new.
 */
export async function runApproval(scope: Scope, step: ApprovalStep | AskStep): Promise<StepEnd> {
  const { context } = scope;
  const gate = context.carriedGates.get(pathOf(scope, step)) ?? (await openGate(scope, step));
  const { settings, gates } = context;
  return endAlone(gate, settings) ?? ownGateEnd(await awaitDecision(gates, gate), gate, settings);
}

/** Renders what the gate shows and who may decide (I6). */
async function openGate(scope: Scope, step: ApprovalStep | AskStep): Promise<Gate> {
  const { root, nested, settings, gates } = scope.context;
  const path = pathOf(scope, step);
  gates.decided.delete(path);
  const environment = environmentOf(scope, templatesOf(step));
  return renderOwnGate({
    root,
    nested,
    step: addressOf(scope, step),
    path,
    try: 1,
    environment,
    since: new Date().toISOString(),
    submitter: settings.submitted_by,
  });
}
