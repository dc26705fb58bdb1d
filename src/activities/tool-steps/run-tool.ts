import { CancelledFailure } from '@temporalio/common';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson, toText } from '../../plan/values/json.js';
import { judgeToolStep } from '../../plan/gates/autonomy.js';
import type { ToolStep } from '../../plan/step.js';
import { sha256 } from '../../store/hash.js';
import type { JournalKey } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import type { Attempt } from '../attempt/attempt.js';
import { attempt } from '../attempt/attempt.js';
import { recordedEnd } from '../attempt/recorded-end.js';
import type { StepOutput, Withheld } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure, toFailure, withPath } from '../failures.js';
import { gateHashOf, shownAgain } from '../values/content-hash.js';
import { tracedCall } from '../attempt/trace-context.js';
import { askOnce, begin, whileHeld } from '../attempt/call-journal.js';
import { whenThereIsRoom } from '../attempt/left-to-write.js';
import { checkOutput, checkValue } from '../values/output-schema.js';
import { loadStep } from '../values/load-step.js';
import { resumeLog } from '../attempt/resumed-log.js';
import { keepOutput } from '../reuse/content-key.js';
import { failureIn, noteIn } from './tool-verdict.js';
import { createToolRequest, reusedCall, shownOfStep } from './tool-request.js';
import type { ToolRun } from '../tools/handler/handler.js';
import type { Callable } from '../turns/offered-tools.js';
import { tellCall, tellResult } from '../turns/turn-log.js';
import type { ToolStepCall } from '../../plan/calls/tool-step-call.js';

/**
 * Makes the one call of a tool step. What came of it is journalled before this returns (I8), so that a call which comes
 * again gets that. What the tool calls an error fails the step, and so does what `failureIn` finds. A call that was
 * lost in between is made again, but an edit is not: what it looked for may be gone, or be there once more. Only
 * another try begins it anew.
 */
export function createRunTool(deps: Dependencies): (call: ToolStepCall) => Promise<StepOutput | Withheld> {
  const { store } = deps;
  return async (call) => {
    const judged = call.unjudged === true ? await allowedRequest(store, call) : undefined;
    if (judged === null) return { withheld: true };
    return call.quick === true ? named(call, () => run(call, judged)) : run(call, judged);
  };

  function run(call: ToolStepCall, judged: Callable | undefined): Promise<StepOutput> {
    return attempt(store, call, 'tool', async (current) => {
      const { step } = current;
      const recorded = call.rehearsal === true ? await recordedEnd(store, call, 'tool') : null;
      if (recorded !== null) return recorded;
      const request = judged ?? (await createToolRequest(store, call, step));
      const { key, known } = await reusedCall(store, call, step, request);
      if (known !== null) return known;
      const permission = leaveFor(step, request, call);
      const { log } = await resumeLog(store, current.log, { ...call, note: null }, call.again);
      tellCall(log, null, { name: step.tool.name, input: request.args });
      const question = {
        call,
        part: ['tool'],
        request: { tool: step.tool.name, args: request.args },
        about: { what: 'tool' as const, name: step.tool.name },
      };
      const ask = (): Promise<Json> =>
        askOnce(
          store,
          question,
          (claim) =>
            make(deps, call, request, { ...current, ...permission, log, signal: whileHeld(current.signal, claim) }),
          current,
        );
      const run = (await whenThereIsRoom(step, ask)) as unknown as ToolRun; // `make` gave it
      tellResult(log, null, step.tool.name, run);
      const failure = run.is_error ? toText(run.content) : failureIn(step, run.content);
      if (failure !== null) throw stepFailure('tool-failed', failure);
      const output = outputOf(step, run);
      return whenThereIsRoom(step, async () =>
        keepOutput(store, call, key, {
          output: await store.put(output),
          spend: { usd: 0, tokens: 0, steps: 1 },
          note: noteIn(step, run.content),
          reused: false,
        }),
      );
    });
  }
}

/**
 * What a call asks for that nobody has looked at, where that is simply allowed. Else null, whatever is wrong with it:
 * `prepareTool` says what.
 */
async function allowedRequest(store: Store, call: ToolStepCall): Promise<Callable | null> {
  try {
    const { step } = await loadStep(store, call, 'tool');
    const request = await createToolRequest(store, call, step);
    return judgeToolStep(step, call.autonomy ?? [], request.action).verdict === 'allow' ? request : null;
  } catch {
    return null;
  }
}

/** However a quick call ends, that names its step. */
async function named({ path }: ToolStepCall, run: () => Promise<StepOutput>): Promise<StepOutput> {
  try {
    return { ...(await run()), path };
  } catch (error) {
    throw error instanceof CancelledFailure ? error : withPath(toFailure(error), path);
  }
}

/**
 * The policy once more, where the effect is. Throws `tool-refused` for what neither it nor a person has allowed, and
 * `leave-changed` where a person has allowed something else, or the same as another version of Perdure showed it.
 */
function leaveFor(step: ToolStep, request: Callable, { allowed, autonomy = [] }: ToolStepCall): { allowed: boolean } {
  const verdict = judgeToolStep(step, autonomy, request.action);
  if (verdict.verdict === 'allow') return { allowed: false };
  if (verdict.verdict === 'ask' && allowed !== undefined) {
    const shown = shownOfStep(step, request, autonomy);
    if ([shown, shownAgain(shown)].some((as) => gateHashOf(as) === allowed)) return { allowed: true };
    throw stepFailure('leave-changed', 'What the call would do has changed since it was allowed.');
  }
  throw stepFailure('tool-refused', `Not allowed: ${verdict.reason}`);
}

async function make(
  { store, credentials }: Dependencies,
  call: ToolStepCall,
  { tool, handler, args }: Callable,
  { step, signal, log, progress, allowed }: Attempt<ToolStep> & { allowed: boolean },
): Promise<Json> {
  if (
    tool.kind === 'builtin' &&
    tool.name === 'edit_file' &&
    !(await begin(store, begunKey(call), sha256(canonicalJson(args)), call))
  ) {
    throw stepFailure(
      'tool-failed',
      'The outcome of `edit_file` is unknown: it had begun when its worker was lost, and it was not repeated. ' +
        'Look at what it has done.',
    );
  }
  const { workspace, root } = call;
  const { content, is_error } = await handler.run(tool, args, {
    store,
    credentials,
    workspace,
    signal,
    log,
    progress,
    permissions: step.permissions,
    allowed,
    run: root.run,
    ...tracedCall(call, { scope: root.first, key: canonicalJson([call.path, call.try, 'tool']) }),
  });
  return { content, is_error };
}

function begunKey({ root, path, try: tried }: ToolStepCall): JournalKey {
  return { scope: root.first, key: canonicalJson([path, tried, 'begun']) };
}

/** What the tool gave, held against the step's schema. */
function outputOf({ schema }: ToolStep, { content }: ToolRun): Json {
  if (schema === null) return content;
  const checked = typeof content === 'string' ? checkOutput(content, schema) : checkValue(content, schema);
  if ('value' in checked) return checked.value;
  throw stepFailure('answer-invalid', `The output does not satisfy \`schema\`. ${checked.errors.join('. ')}`);
}
