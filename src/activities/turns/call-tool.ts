import type { ToolAnswer } from '../../plan/agents/conversation.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import { shortPlan } from '../../plan/packing/packed-plan.js';
import { judgeCall } from '../../plan/gates/autonomy.js';
import { shortHash } from '../../plan/packing/short-hash.js';
import type { Agent, AgentStep } from '../../plan/step.js';
import { sha256 } from '../../store/hash.js';
import { isPassing } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import type { LogWriter } from '../../store/logs/line.js';
import type { JournalKey } from '../../store/journal/entry.js';
import { ClaimLostError } from '../../store/journal/entry.js';
import type { Attempt } from '../attempt/attempt.js';
import { attempt } from '../attempt/attempt.js';
import type { ToolCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import { gateHashOf, shownAgain } from '../values/content-hash.js';
import { begin, held, takeQuestion, unbegin, whileHeld, writeAnswer } from '../attempt/call-journal.js';
import type { ToolContext, ToolRun } from '../tools/handler/handler.js';
import { addMadeTool } from './asker.js';
import type { Callable } from './offered-tools.js';
import { findCallOf, shownOf } from './shown-call.js';
import { tracedCall } from '../attempt/trace-context.js';
import { noteFailure, tracedOf } from '../attempt/traced-call.js';
import { isResultTold, tellResult } from './turn-log.js';

/**
 * Makes one call of a tool. What came of it is journalled before this returns, and that it was begun before its effect
 * (I8): a call that comes again gets its result, and where none is there, the model is told that nobody knows what
 * happened. An external effect is a person's to decide about; what may be repeated is, and its beginning is not noted.
 */
export function createCallTool(deps: Dependencies): (call: ToolCall) => Promise<ToolAnswer> {
  const { store, credentials } = deps;
  return (call) =>
    attempt(store, call, 'agent', async (current) => {
      const { agent, making, block, found } = await findCallOf(deps, call, call);
      if ('refusal' in found) return answer(store, call, { content: found.refusal, is_error: true });
      const request = sha256(canonicalJson({ tool: block.name, input: block.input }));
      const taken = await takeQuestion(store, keyOf(call, 'tool'), request, { ...current, ...call });
      if ('entry' in taken) {
        if (taken.entry.request !== request) mismatch(call);
        const run = taken.entry.response as unknown as ToolRun; // `writeAnswer` below put it there
        if (!(await isResultTold(store, { run: call.root.run, path: call.path }, call)))
          tell(current.log, call, block.name, run);
        return answer(store, call, run);
      }
      current.progress['turn'] = call.turn;
      current.progress['tool'] = block.name;
      const about = { what: 'tool' as const, name: block.name, call_id: block.id };
      const question = { key: keyOf(call, 'tool'), call, about, since: new Date().toISOString() };
      const made = held(taken.claim, (claim) =>
        make({
          ...current,
          signal: whileHeld(current.signal, claim),
          store,
          credentials,
          call,
          agent,
          found,
          request,
          ...(making === undefined ? {} : { making }),
        }),
      );
      const run = await noteFailure(store, question, made);
      if ('ask' in run) {
        await taken.claim.release();
        return run.ask;
      }
      const response = run as unknown as Json; // a result is JSON
      const entry = { request, response, at: new Date().toISOString(), ...tracedOf(question, response) };
      if (!(await writeAnswer(store, keyOf(call, 'tool'), { entry, claim: taken.claim }, call)))
        throw new ClaimLostError();
      tell(current.log, call, block.name, run);
      return answer(store, call, run);
    });
}

/** What an agent or a workflow gives comes later, and `addResults` tells it. */
function tell(log: LogWriter, call: ToolCall, tool: string, run: ToolRun): void {
  if (run.called === undefined && run.starts === undefined) tellResult(log, call, tool, run);
}

interface Making extends Attempt<AgentStep> {
  store: Store;
  credentials: Dependencies['credentials'];
  call: ToolCall;
  agent: Agent;
  found: Callable;
  request: ReturnType<typeof sha256>;
  making?: NonNullable<ToolContext['making']>;
}

/** Does it, unless it may have been done, or is not what a person allowed: then only one can say. */
async function make(
  making: Making,
): Promise<ToolRun | { ask: Extract<ToolAnswer, { doubt: true } | { changed: true }> }> {
  const {
    store,
    call,
    agent,
    found: { tool, handler, args },
    request,
    signal,
    log,
    progress,
  } = making;
  const permission = await leaveFor(making);
  if ('refusal' in permission) return { content: permission.refusal, is_error: true };
  if ('changed' in permission) return { ask: permission };
  const effect = handler.effect(tool, args);
  const isOnce = effect !== 'none' && handler.repeatable !== true;
  if (isOnce && !(await begin(store, keyOf(call, 'begun'), request, call)))
    return effect === 'external' ? { ask: { doubt: true } } : unknown(tool.name);
  const { permissions } = agent;
  if (permissions === undefined)
    throw stepFailure('internal', `The agent \`${agent.name}\` has tools and no permissions.`);
  const run = handler.run(tool, args, {
    store,
    credentials: making.credentials,
    workspace: call.workspace,
    signal,
    log,
    progress,
    permissions,
    ...permission,
    run: call.root.run,
    ...tracedCall(call, keyOf(call, 'tool')),
    ...makingOf(making),
  });
  return run.catch((error: unknown) => {
    // What makes others writes to the store and nowhere else: with room for it, it is made then.
    if (isPassing(error)) unbegin(store, keyOf(call, 'begun'));
    throw error;
  });
}

/** What tools that make others need beside what all do. */
function makingOf({ making, call }: Making): Pick<ToolContext, 'making' | 'call'> {
  return making === undefined ? {} : { making, call: keyOf(call, 'tool').key };
}

/**
 * The policy once more, where the effect is: what is not allowed needs the hash of what a person saw. `--yes` has that
 * hash too, and lifts no denial: only who was asked after denials does. Where that hash names something else, another
 * version of Perdure may have shown it: a person is asked again.
 */
async function leaveFor({
  store,
  call,
  agent,
  found,
}: Making): Promise<{ allowed: boolean } | { refusal: string } | { changed: true }> {
  const verdict =
    agent.permissions === undefined
      ? { verdict: 'deny' as const, reason: 'It has no permissions.' }
      : judgeCall(agent.permissions, call.autonomy ?? [], found.action);
  if (verdict.verdict === 'allow') return { allowed: false };
  const may = verdict.verdict === 'ask' || call.lifts === true;
  if (may && call.allowed !== undefined) {
    const shown = await shownOf(store, agent, { ...found, workspace: call.workspace }, call);
    return [shown, shownAgain(shown)].some((as) => gateHashOf(as) === call.allowed)
      ? { allowed: true }
      : { changed: true };
  }
  return { refusal: `Not allowed: ${verdict.reason}` };
}

function unknown(tool: string): ToolRun {
  return {
    content:
      `The outcome of this call is unknown: \`${tool}\` had begun when its worker was lost, and it was not ` +
      `repeated. Look at what it has done before you go on.`,
    is_error: true,
  };
}

/** A person who wants it done again begins it anew. */
function keyOf({ root, path, try: tried, turn, call, again = 0 }: ToolCall, what: 'tool' | 'begun'): JournalKey {
  return {
    scope: root.first,
    key: canonicalJson([path, tried, what, turn, call, ...(what === 'begun' ? [again] : [])]),
  };
}

async function answer(
  store: Store,
  { made: chain }: ToolCall,
  { content, is_error, made, called, starts }: ToolRun,
): Promise<ToolAnswer> {
  if (called !== undefined) return { called };
  if (starts !== undefined)
    return { starts: { plan: shortPlan(await store.getPlan(starts.plan)), inputs: starts.inputs } };
  const { ref, bytes } = await store.putAlways({ content, is_error });
  return {
    result: shortHash(ref),
    bytes,
    ...(made === undefined ? {} : { made: await addMadeTool(store, chain, made) }),
  };
}

function mismatch({ path, turn, call }: ToolCall): never {
  throw stepFailure(
    'journal-mismatch',
    `Call ${call + 1} of turn ${turn} in \`${path}\` was another one before; what that gave is no result of this.`,
  );
}
