import { MESSAGE_CHARACTERS } from '../../plan/gates/gate.js';
import { render } from '../../plan/references/evaluate.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import type { Autonomy } from '../../plan/gates/autonomy.js';
import { judgeToolStep } from '../../plan/gates/autonomy.js';
import { segmentOf } from '../../plan/plan.js';
import type { ToolStep } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { StepCall, StepOutput } from '../contract.js';
import { stepFailure } from '../failures.js';
import type { Shown } from '../values/content-hash.js';
import { createScope } from '../values/template-scope.js';
import { contentKey, reusedOutput } from '../reuse/content-key.js';
import type { Callable } from '../turns/offered-tools.js';
import { findCall } from '../turns/offered-tools.js';
import type { ToolStepCall } from '../../plan/calls/tool-step-call.js';

/**
 * What a tool step asks for, with every value in its place. Throws `value-invalid` where its inputs do not fit the
 * tool.
 */
export async function createToolRequest(store: Store, call: ToolStepCall, step: ToolStep): Promise<Callable> {
  const { tool } = step;
  const found = await findCall(
    store,
    { uses: [tool] },
    { kind: 'call', id: '', name: tool.name, input: await inputOf(store, call, step) },
    call.workspace,
  );
  if ('refusal' in found)
    throw stepFailure('value-invalid', `The inputs do not fit the tool \`${tool.name}\`: ${found.refusal}`);
  if (found.handler.server === true)
    throw stepFailure(
      'tool-failed',
      `\`${tool.name}\` is run by a model's provider, in the middle of an answer. Name it under \`tools\` of an agent.`,
    );
  return found;
}

async function inputOf(store: Store, { environment }: ToolStepCall, { inputs }: ToolStep): Promise<JsonObject> {
  const scope = await createScope(store, environment, Object.values(inputs));
  return Object.fromEntries(Object.entries(inputs).map(([name, template]) => [name, render(template, scope)]));
}

/**
 * The content key of a call, and its result where an earlier run has one to take over; files that it may look at are
 * not in its key (decision 14).
 */
export async function reusedCall(
  store: Store,
  call: StepCall,
  { tool, schema }: ToolStep,
  { args }: Callable,
): Promise<{ key: Hash; known: StepOutput | null }> {
  const key = contentKey('tool', { tool: { ...tool }, args, schema });
  return { key, known: await reusedOutput(store, call, key) };
}

/** What a person is shown of a call: what it does and all that it is given. */
export function shownOfStep(step: ToolStep, { action, args }: Callable, autonomy: Autonomy[] = []): Shown {
  const verdict = judgeToolStep(step, autonomy, action);
  const why = verdict.verdict === 'allow' ? '' : ` ${verdict.reason}`;
  return {
    message: `The step \`${segmentOf(step)}\` calls \`${step.tool.name}\`.${why} Allow it?`.slice(
      0,
      MESSAGE_CHARACTERS,
    ),
    content: { ...action, input: args } as Json,
  }; // an action is JSON
}
