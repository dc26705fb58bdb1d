import type { Activities, ShortOutput, Withheld } from '../../activities/contract.js';
import type { ToolStepCall } from '../../plan/calls/tool-step-call.js';
import type { Action } from '../../plan/tools/action.js';
import { callOfRemote } from '../../plan/tools/mcp-server.js';
import { gateEnd, unattendedEnd } from '../../plan/outcomes/step-ends.js';
import type { Gate } from '../../plan/gates/gate.js';
import { judgeToolStep } from '../../plan/gates/autonomy.js';
import { treeActivityId } from '../../plan/names.js';
import { segmentOf } from '../../plan/plan.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { ShortCall } from '../../plan/calls/short-call.js';
import { shortCall } from '../../plan/calls/short-call.js';
import type { Step, ToolStep } from '../../plan/step.js';
import { templatesOf } from '../../plan/references/step-references.js';
import type { Hash } from '../../plan/values/value.js';
import { acting, actingOptions, isQuickTool, quick, quickOptions, termsOf, shortName } from '../activities.js';
import type { RunContext, Scope } from '../state/context.js';
import { addressOf, autonomyOf, callerOf, pathOf, policiesOf, reuseOf, carriedGate } from '../state/context.js';
import { workspaceOf } from '../state/own-workspace.js';
import { atHome, travels } from '../running/at-home.js';
import { withoutSlot } from '../running/step-runner.js';
import type { Tries } from '../running/tries.js';
import { failed } from '../running/tries.js';
import { canTryFreely } from '../budget/reserve.js';
import { awaitDecision } from '../gates/gate-book.js';
import { environmentOf } from '../state/values.js';
import { firstTry, makeRow, stepsInRow, takeMade } from './tool-row.js';

/** What a person has allowed, where one was asked; or how the step ends that may not be done. */
export type ToolPermission = { allowed: Hash | null } | { end: StepEnd };

/**
 * Judges a step's call here, so that what was decided is in history; the activity judges it again. `renewed`: something
 * else was allowed before.
 */
export function askLeave(scope: Scope, step: ToolStep, renewed = false): Promise<ToolPermission> {
  const known = plainAction(step);
  return known !== null && judgeToolStep(step, policiesOf(scope.context), known).verdict === 'allow'
    ? Promise.resolve({ allowed: null })
    : lookAt(scope, step, renewed);
}

/**
 * Tells whether the call of a step is judged where it is made, in the same local activity. What is not simply allowed
 * there is withheld, and looked at as any other call.
 */
export function isJudgedInCall(scope: Scope, step: ToolStep): boolean {
  const { context } = scope;
  return (
    context.settings.judged_in_call === true &&
    runsQuick(context, step) &&
    step.commit === undefined &&
    carriedGate(scope, step, 'tool') === null &&
    canTryFreely(context)
  );
}

/**
 * Tells whether a try has done nothing because nobody had looked at its call; or because a person had allowed something
 * else, and there are people to ask again.
 */
export function isAskedAgain(
  { context: { settings } }: Scope,
  step: Step,
  { unjudged }: Pick<Tries, 'unjudged'>,
  end: StepEnd,
): step is ToolStep {
  if (step.kind !== 'tool' || !('failure' in end) || end.failure.type !== 'leave-changed') return false;
  return unjudged || settings.gates === 'ask';
}

/**
 * One try: its call is made once, behind the journal. A tool that takes a moment runs as a local activity, where it can
 * with those of the steps after it.
 */
export function runTool(
  scope: Scope,
  step: ToolStep,
  tried: number,
  leave: Pick<Tries, 'allowed' | 'unjudged'>,
): Promise<StepEnd | ShortOutput> {
  if (runsQuick(scope.context, step)) return runQuickTool(scope, step, tried, leave).then(endIn);
  const path = pathOf(scope, step);
  return atHome(scope.context, actingOptions(step, path, summaryOf(step)), (options) =>
    acting.runTool
      .executeWithOptions(options, [shortCall(tryOf(scope, step, tried, leave), callerOf(path))])
      .then(endIn),
  );
}

function runQuickTool(
  scope: Scope,
  step: ToolStep,
  tried: number,
  leave: Pick<Tries, 'allowed' | 'unjudged'>,
): Promise<ShortOutput | Withheld> {
  const made = takeMade(scope.context, pathOf(scope, step), tried);
  if (made !== null && made.output !== null) return Promise.resolve(made.output);
  const row = leave.unjudged ? stepsInRow(scope, step, (next) => isJudgedInCall(scope, next)) : [step];
  if (row.length === 1 || made !== null)
    return quick.runTool.executeWithOptions(quickOptions(step, summaryOf(step)), [
      { ...quickCall(scope, step, tried, leave), ...(made === null ? {} : { again: true }) },
    ]);
  return makeRow(
    scope,
    row.map((one) => ({
      step: one,
      path: pathOf(scope, one),
      call: quickCall(scope, one, one === step ? tried : firstTry(scope, one), leave),
    })),
  );
}

function quickCall(
  scope: Scope,
  step: ToolStep,
  tried: number,
  leave: Pick<Tries, 'allowed' | 'unjudged'>,
): ShortCall<ToolStepCall> {
  const call = tryOf(scope, step, tried, leave);
  return shortCall({ ...call, quick: true, ...(leave.unjudged ? { unjudged: true } : {}) }, callerOf(null));
}

function tryOf(scope: Scope, step: ToolStep, tried: number, { allowed }: Pick<Tries, 'allowed'>): ToolStepCall {
  return {
    ...callOf(scope, step, tried),
    ...reuseOf(scope, step, pathOf(scope, step)),
    ...termsOf(scope.context),
    ...(allowed === null ? {} : { allowed }),
    ...(scope.context.settings.rehearsal ? { rehearsal: true } : {}),
  };
}

function summaryOf(step: ToolStep): string {
  return `${segmentOf(step)}: ${step.tool.name}`;
}

function runsQuick(context: RunContext, step: ToolStep): boolean {
  return isQuickTool(step) && !travels(context);
}

/** A call that was withheld has done nothing, as one that is not what was allowed. */
function endIn(came: ShortOutput | Withheld): StepEnd | ShortOutput {
  return 'withheld' in came ? failed({ type: 'leave-changed', message: 'Nobody has looked at the call.' }) : came;
}

/** What a tool does whatever it is called with; null where that depends. */
function plainAction({ tool }: ToolStep): Action | null {
  if (tool.kind === 'builtin') return null;
  return tool.kind === 'mcp' ? callOfRemote(tool) : { kind: 'call', what: 'tool', name: tool.name };
}

async function lookAt(scope: Scope, step: ToolStep, renewed: boolean): Promise<ToolPermission> {
  const { settings, gates } = scope.context;
  const carried = carriedGate(scope, step, 'tool');
  const { action, ...shown } = await actionOf(scope, step, {
    ...callOf(scope, step, 1),
    ...reuseOf(scope, step, pathOf(scope, step)),
    since: carried?.since ?? new Date().toISOString(),
    ...(renewed ? { renewed } : {}),
  });
  if ('reused' in shown) return { allowed: null };
  const verdict = judgeToolStep(step, policiesOf(scope.context), action);
  if (verdict.verdict === 'allow') return { allowed: null };
  if (verdict.verdict === 'deny' || !('hash' in shown))
    return {
      end: {
        status: 'error',
        failure: {
          type: 'tool-refused',
          message: `Not allowed: ${'reason' in verdict ? verdict.reason : 'nobody was asked'}`,
        },
      },
    };
  const end =
    unattendedEnd(shown, settings) ??
    gateEnd(await withoutSlot(scope, step, () => awaitDecision(gates, opened(scope, shown, carried))), shown);
  return end.status === 'success' ? { allowed: shown.hash } : { end };
}

/** What a call would do, looked at where the files are. */
function actionOf(scope: Scope, step: ToolStep, call: LookCall): ReturnType<Activities['prepareTool']> {
  if (!travels(scope.context)) return quick.prepareTool(call);
  const path = pathOf(scope, step);
  // It is no try of the step.
  const options = {
    ...actingOptions(step, path, `${segmentOf(step)}: look`),
    activityId: shortName(treeActivityId('make', path, 0)),
  };
  return atHome(scope.context, options, (placed) => acting.prepareTool.executeWithOptions(placed, [call]));
}

type LookCall = Parameters<Activities['prepareTool']>[0];

/** The gate as it was shown before the run continued as new, or one that opens anew. */
function opened({ context: { gates } }: Scope, gate: Gate, carried: Gate | null): Gate {
  if (carried?.hash !== gate.hash) gates.decided.delete(gate.path);
  return gate;
}

function callOf(scope: Scope, step: ToolStep, tried: number): ToolStepCall {
  const { root, nested } = scope.context;
  return {
    root,
    nested,
    step: addressOf(scope, step),
    path: pathOf(scope, step),
    try: tried,
    environment: environmentOf(scope, templatesOf(step)),
    workspace: workspaceOf(scope, step),
    ...autonomyOf(scope.context),
  };
}
