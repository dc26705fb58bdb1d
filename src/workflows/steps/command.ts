import type { StepOutput } from '../../activities/contract.js';
import { segmentOf } from '../../plan/plan.js';
import { actorOf, templatesOf } from '../../plan/step.js';
import type { CommandStep } from '../../plan/step.js';
import { acting, actingOptions } from '../activities.js';
import type { RunContext } from '../context.js';
import { pathOf } from '../context.js';
import { environmentOf } from '../values.js';

/** A program, given as argv (decision 3). */
export async function runCommand(context: RunContext, step: CommandStep, tried: number): Promise<StepOutput> {
  const { root, nested, settings } = context;
  const path = pathOf(context, step);
  return acting.runCommand.executeWithOptions(actingOptions(step, path, summaryOf(context, step)), [
    { root, nested, step: step.index, path, try: tried, environment: environmentOf(context, templatesOf(step)), workspace: settings.workspace },
  ]);
}

/** The step and the literal words of its command, as far as they go in one line of Temporal's UI (S35). */
function summaryOf(context: RunContext, step: CommandStep): string {
  const words = step.argv.map((word) => (word.kind === 'literal' ? String(word.value) : '…')).join(' ');
  return `${segmentOf(step)}: ${words.length <= 120 ? words : `${actorOf(step, context.plan.agents)} …`}`;
}
