import type { CommandCall, StepOutput } from '../../activities/contract.js';
import { segmentOf } from '../../plan/plan.js';
import { actorOf, templatesOf } from '../../plan/step.js';
import type { CommandStep } from '../../plan/step.js';
import { acting, actingOptions, isQuick, quick, quickOptions } from '../activities.js';
import type { RunContext } from '../context.js';
import { pathOf } from '../context.js';
import { environmentOf } from '../values.js';

/** A program, given as argv (decision 3). One of at most 10 s runs as a local activity, behind the journal. */
export function runCommand(context: RunContext, step: CommandStep, tried: number): Promise<StepOutput> {
  const { root, nested, settings } = context;
  const path = pathOf(context, step);
  const call: CommandCall = { root, nested, step: step.index, path, try: tried, environment: environmentOf(context, templatesOf(step)), workspace: settings.workspace };
  const summary = summaryOf(context, step);
  if (isQuick(step)) return quick.runCommand.executeWithOptions(quickOptions(step, summary), [{ ...call, quick: true }]);
  return acting.runCommand.executeWithOptions(actingOptions(step, path, summary), [call]);
}

/** The step and the literal words of its command, as far as they go in one line of Temporal's UI (S35). */
function summaryOf(context: RunContext, step: CommandStep): string {
  const words = step.argv.map((word) => (word.kind === 'literal' ? String(word.value) : '…')).join(' ');
  return `${segmentOf(step)}: ${words.length <= 120 ? words : `${actorOf(step, context.plan.agents)} …`}`;
}
