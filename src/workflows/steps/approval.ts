import { decidedEnd, unattendedEnd } from '../../plan/ends.js';
import type { Gate } from '../../plan/gate.js';
import type { StepEnd } from '../../plan/schedule.js';
import type { ApprovalStep } from '../../plan/step.js';
import { quick } from '../activities.js';
import type { RunContext } from '../context.js';
import { pathOf } from '../context.js';
import { awaitDecision } from '../gates.js';
import { environmentOf } from '../values.js';

/** A gate: shows the exact content and waits for a person, unless the run was started to decide by itself. */
export async function runApproval(context: RunContext, step: ApprovalStep, carried: Gate | null): Promise<StepEnd> {
  const gate = carried ?? (await renderGate(context, step));
  return unattendedEnd(gate, context.settings) ?? decidedEnd(gate.content, await awaitDecision(context.gates, gate));
}

async function renderGate(context: RunContext, step: ApprovalStep): Promise<Gate> {
  const { root, nested } = context;
  const path = pathOf(context, step);
  const templates = step.content === null ? [step.message] : [step.message, step.content];
  const environment = environmentOf(context, templates);
  const rendered = await quick.renderGate({ root, nested, step: step.index, path, try: 1, environment });
  return { path, kind: 'approval', ...rendered, fallback: step.fallback, since: new Date().toISOString() };
}
