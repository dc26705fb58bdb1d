import { segmentOf } from '../plan/plan.js';
import type { StepEnd } from '../plan/schedule.js';
import type { Step } from '../plan/step.js';
import { quick } from './activities.js';
import type { RunContext } from './context.js';
import { pathOf } from './context.js';
import { awaitDecision } from './gates.js';

/**
 * Asks a person whether to do a step again whose effect is external and whose worker was lost (decision 13): null to do
 * it again, else how the step ends. Also a run that approves its gates by itself does not repeat such an effect.
 */
export async function askAfterLoss(context: RunContext, step: Step, tried: number): Promise<StepEnd | null> {
  const lost = (why: string): StepEnd => ({ status: 'error', failure: { type: 'worker-lost', message: `The worker was lost while \`${segmentOf(step)}\` ran, and its effect is external: ${why}.` } });
  if (context.settings.gates !== 'ask') return lost('nobody was to be asked, so it was not repeated');
  const { root, nested } = context;
  const path = pathOf(context, step);
  const question = `The worker was lost while \`${segmentOf(step)}\` ran (try ${tried}). Its effect is external and may have happened. Do it again?`;
  const rendered = await quick.renderGate({ root, nested, step: step.index, path, try: tried, environment: {}, question });
  context.gates.decided.delete(path);
  const decision = await awaitDecision(context.gates, { path, kind: 'lost', ...rendered, fallback: 'abort', since: new Date().toISOString() });
  return decision.decision === 'approve' ? null : lost(`${decision.by} decided not to repeat it${decision.comment ? `: ${decision.comment}` : ''}`);
}
