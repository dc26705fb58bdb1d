import type { Decision, Gate } from '../../plan/gate.js';
import type { StepEnd } from '../../plan/schedule.js';
import type { ApprovalStep } from '../../plan/step.js';
import { inline } from '../../plan/value.js';
import { quick } from '../activities.js';
import type { RunContext } from '../context.js';
import { pathOf } from '../context.js';
import { awaitDecision } from '../gates.js';
import { environmentOf } from '../values.js';

/** A gate: shows the exact content and waits for a person, unless the run was started to decide by itself. */
export async function runApproval(context: RunContext, step: ApprovalStep, carried: Gate | null): Promise<StepEnd> {
  const gate = carried ?? (await renderGate(context, step));
  switch (context.settings.gates) {
    case 'approve':
      return endFor(gate, { decision: 'approve', by: context.settings.submitted_by, comment: 'by --yes' });
    case 'fallback':
      return fallbackFor(gate);
    case 'ask':
      return endFor(gate, await awaitDecision(context.gates, gate));
  }
}

async function renderGate(context: RunContext, step: ApprovalStep): Promise<Gate> {
  const { root, nested } = context;
  const path = pathOf(context, step);
  const templates = step.content === null ? [step.message] : [step.message, step.content];
  const environment = environmentOf(context, templates);
  const rendered = await quick.renderGate({ root, nested, step: step.index, path, try: 1, environment });
  return { path, kind: 'approval', ...rendered, fallback: step.fallback, since: new Date().toISOString() };
}

/** The output of an approved gate is exactly what was approved, so that later steps use that and nothing else. */
function endFor(gate: Gate, decision: Pick<Decision, 'decision' | 'by' | 'comment'>): StepEnd {
  const says = decision.comment ? `: ${decision.comment}` : '';
  if (decision.decision === 'approve') {
    return { status: 'success', output: gate.content ?? inline('approved'), note: `approved by ${decision.by}${says}` };
  }
  return { status: 'error', failure: { type: 'rejected', message: `rejected by ${decision.by}${says}` } };
}

function fallbackFor(gate: Gate): StepEnd {
  switch (gate.fallback) {
    case 'approve':
      return endFor(gate, { decision: 'approve', by: 'fallback', comment: 'unattended' });
    case 'skip':
      return { status: 'skipped', reason: 'unattended: the gate\'s fallback is skip' };
    case 'abort':
      return { status: 'error', failure: { type: 'rejected', message: 'unattended: the gate\'s fallback is abort' } };
  }
}
