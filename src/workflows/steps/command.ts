import type { CommandCall, ShortOutput } from '../../activities/contract.js';
import { segmentOf } from '../../plan/plan.js';
import { folderOf } from '../../plan/calls/reuse.js';
import { shortCall } from '../../plan/calls/short-call.js';
import { actorOf } from '../../plan/references/actor.js';
import { templatesOf } from '../../plan/references/step-references.js';
import type { CommandStep } from '../../plan/step.js';
import { acting, actingOptions, isQuick, quick, quickOptions, termsOf } from '../activities.js';
import { atHome, travels } from '../running/at-home.js';
import type { RunContext, Scope } from '../state/context.js';
import { addressOf, callerOf, pathOf, reuseOf } from '../state/context.js';
import { workspaceOf } from '../state/own-workspace.js';
import { environmentOf } from '../state/values.js';

/** A program, given as argv (decision 3). One of at most 10 s runs as a local activity, behind the journal. */
export function runCommand(scope: Scope, step: CommandStep, tried: number): Promise<ShortOutput> {
  const { context } = scope;
  const { root, nested, settings } = context;
  const path = pathOf(scope, step);
  const call: CommandCall = {
    root,
    nested,
    step: addressOf(scope, step),
    path,
    try: tried,
    environment: environmentOf(scope, templatesOf(step)),
    ...reuseOf(scope, step, path),
    ...termsOf(context),
    workspace: folderOf(step, { ...settings, workspace: workspaceOf(scope, step) }),
    ...(settings.rehearsal ? { rehearsal: true } : {}),
  };
  const summary = summaryOf(context, step);
  if (isQuick(step) && !travels(context))
    return quick.runCommand.executeWithOptions(quickOptions(step, summary), [
      shortCall({ ...call, quick: true }, callerOf(null)),
    ]);
  return atHome(context, actingOptions(step, path, summary), (options) =>
    acting.runCommand.executeWithOptions(options, [shortCall(call, callerOf(path))]),
  );
}

/** The step and the literal words of its command, as far as they go in one line of Temporal's UI. */
function summaryOf(context: RunContext, step: CommandStep): string {
  const words = step.argv.map((word) => (word.kind === 'literal' ? String(word.value) : '…')).join(' ');
  return `${segmentOf(step)}: ${words.length <= 120 ? words : `${actorOf(step, context.plan.agents)} …`}`;
}
