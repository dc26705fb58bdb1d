import { lossEnd, lostEnd } from '../../plan/outcomes/step-ends.js';
import type { Gate, GateEnd } from '../../plan/gates/gate.js';
import { segmentOf } from '../../plan/plan.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { Step } from '../../plan/step.js';
import type { Scope } from '../state/context.js';
import { addressOf, pathOf, carriedGate } from '../state/context.js';
import { withoutSlot } from './step-runner.js';
import { awaitDecision } from '../gates/gate-book.js';
import { renderOwnGate } from '../gates/own-gate.js';

/**
 * Asks a person what to do about a step whose effect is external and whose worker was lost (decision 13): null to do it
 * again, else how the step ends. Also a run that approves its gates by itself does not repeat such an effect.
 */
export async function askAfterLoss(scope: Scope, step: Step, tried: number): Promise<StepEnd | null> {
  const { context } = scope;
  if (context.settings.gates !== 'ask') return lostEnd(step, 'nobody was to be asked, so it was not repeated');
  const { root, nested, gates, settings } = context;
  const path = pathOf(scope, step);
  const carried = carriedGate(scope, step, 'lost');
  const decision = (gate: Gate): Promise<GateEnd> => withoutSlot(scope, step, () => awaitDecision(gates, gate));
  if (carried !== null) return lossEnd(step, await decision(carried));
  const question =
    `The worker was lost while \`${segmentOf(step)}\` ran (try ${tried}). Its effect is external and may have ` +
    `happened. Do it again, count it as done, or stop?`;
  const gate = await renderOwnGate({
    root,
    nested,
    step: addressOf(scope, step),
    path,
    try: tried,
    environment: {},
    question,
    since: new Date().toISOString(),
    submitter: settings.submitted_by,
  });
  gates.decided.delete(path);
  return lossEnd(step, await decision(gate));
}
