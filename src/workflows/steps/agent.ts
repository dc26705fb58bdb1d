import { workflowInfo } from '@temporalio/workflow';
import type { ModelCall, ProgramCall, ShortOutput } from '../../activities/contract.js';
import type { PaidBefore } from '../../plan/budget/paid-before.js';
import type { Failure } from '../../plan/failure.js';
import { segmentOf } from '../../plan/plan.js';
import { shortCall } from '../../plan/calls/short-call.js';
import type { AgentStep } from '../../plan/step.js';
import { titleOf } from '../../plan/references/title.js';
import { safeLine } from '../../plan/text/safe-text.js';
import { templatesOf } from '../../plan/references/step-references.js';
import { acting, actingOptions, quick, quickOptions, termsOf } from '../activities.js';
import { atHome } from '../running/at-home.js';
import { orGoOn } from '../running/head-start.js';
import type { Scope } from '../state/context.js';
import { addressOf, callerOf, noteModel, pathOf, reuseOf } from '../state/context.js';
import { workspaceOf } from '../state/own-workspace.js';
import type { Reservation } from '../budget/reserve.js';
import { mostFor } from '../budget/reserve.js';
import { environmentOf } from '../state/values.js';

/** A try of an agent's step: which one, and why the attempt before is over, where there was one. */
export interface AgentTry {
  tried: number;
  last: Failure | null;
  /** What it had cost whenever it was refused for want of money. */
  paid: PaidBefore | null;
}

/** One answer in a role: of a model, or of the program that plays it. */
export function runAgent(
  scope: Scope,
  step: AgentStep,
  turn: Reservation,
  { tried, last, paid }: AgentTry,
): Promise<ShortOutput> {
  const { context } = scope;
  const agent = context.plan.agents[step.agent];
  if (agent === undefined) throw new Error(`The plan has no agent ${step.agent}`);
  const { root, nested, settings } = context;
  const path = pathOf(scope, step);
  const title = titleOf(step, context.plan.agents);
  const name = `${segmentOf(step)}: ${agent.name}${title === null ? '' : `: ${safeLine(title)}`}`;
  const { model, program } = turn;
  const most = mostFor(context, turn);
  const head = {
    root,
    nested,
    step: addressOf(scope, step),
    path,
    try: tried,
    environment: environmentOf(scope, templatesOf(step)),
    ...reuseOf(scope, step, path, program !== null),
    ...termsOf(context),
    ...(most === undefined ? {} : { most }),
    ...(paid === null ? {} : { paid }),
    ...(settings.context === undefined ? {} : { context: settings.context }),
  };
  if (program !== null) {
    const call: ProgramCall = {
      ...head,
      program,
      workspace: workspaceOf(scope, step),
      ...(last === null ? {} : { before: { failure: last } }),
    };
    return atHome(context, actingOptions(step, path, `${name}, played by ${program.program}`, paid), (options) =>
      acting.runProgram.executeWithOptions(options, [shortCall(call, callerOf(path))]),
    );
  }
  if (model === null) throw new Error(`No model was chosen for ${path}`);
  noteModel(scope, step, model);
  const call: ModelCall = { ...head, model };
  const goOn = (): Promise<ShortOutput> =>
    acting.callModel.executeWithOptions(actingOptions(step, path, name, paid), [shortCall(call, callerOf(path))]);
  if (step.quick !== true || step.requires !== undefined) return goOn();
  const begun = { ...call, task: workflowInfo().historyLength };
  return orGoOn(
    quick.beginModel.executeWithOptions(quickOptions(step, name), [shortCall(begun, callerOf(null))]),
    goOn,
    call,
  );
}
