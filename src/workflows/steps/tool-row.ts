import type { ShortCall } from '../../plan/calls/short-call.js';
import type { ShortOutput, Withheld } from '../../plan/calls/step-output.js';
import { segmentOf } from '../../plan/plan.js';
import { rowFrom } from '../../plan/schedule/row.js';
import type { ToolStep } from '../../plan/step.js';
import type { MadeCall, ToolStepCall } from '../../plan/calls/tool-step-call.js';
import { GRACE_MS, quick, quickOptions } from '../activities.js';
import { hasPlenty } from '../budget/reserve.js';
import type { RunContext, Scope } from '../state/context.js';
import { pathOf, triesBefore } from '../state/context.js';

/** The call of one step of a row. */
interface RowCall {
  step: ToolStep;
  path: string;
  call: ShortCall<ToolStepCall>;
}

/**
 * The steps whose calls are made with that of a step that starts: itself, and those after it that need nobody's word.
 * A traced run has none: it tells of each step when it began.
 */
export function stepsInRow(scope: Scope, step: ToolStep, isFree: (next: ToolStep) => boolean): ToolStep[] {
  const { context, schedule } = scope;
  const { rows, trace } = context.settings;
  if (rows !== true || trace !== undefined || !hasPlenty(context)) return [step];
  return rowFrom(
    schedule,
    step,
    (next) => !schedule.redoable.has(next.index) && !context.tried.has(pathOf(scope, next)) && isFree(next),
  );
}

/** Makes the calls of a row in one local activity. What comes of the others is kept until their steps start. */
export async function makeRow(scope: Scope, row: RowCall[]): Promise<ShortOutput | Withheld> {
  const [head, ...others] = row;
  if (head === undefined) return { withheld: true };
  const options = {
    ...quickOptions(head.step, `${segmentOf(head.step)}: ${row.length} steps in a row`),
    startToCloseTimeout: Math.max(...row.map(({ step }) => step.timeout_ms)) + GRACE_MS,
  };
  const [own, ...outputs] = await quick.runTools.executeWithOptions(options, [{ calls: row.map(({ call }) => call) }]);
  // The row ended before the first without an output, whose call may have been made.
  for (const [at, { step, path }] of others.slice(0, outputs.length + 1).entries())
    scope.context.madeCalls.set(path, { tried: firstTry(scope, step), output: outputs[at] ?? null });
  return own ?? { withheld: true };
}

/** What is known of a step's call that was made in a row before it started, where it is the same try; once. */
export function takeMade({ madeCalls }: RunContext, path: string, tried: number): MadeCall | null {
  const made = madeCalls.get(path);
  madeCalls.delete(path);
  return made?.tried === tried ? made : null;
}

/** The number of a step's first try, as its call has it. */
export function firstTry(scope: Scope, step: ToolStep): number {
  return triesBefore(scope, step) + 1;
}
