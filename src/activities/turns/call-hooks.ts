import type { Hook, HookAnswer } from '../../plan/tools/hook.js';
import { STOP_CHARACTERS, matchesTool } from '../../plan/tools/hook.js';
import { longHash, shortHash } from '../../plan/packing/short-hash.js';
import { cutTo } from '../../plan/text/cut-to.js';
import { longValue } from '../../plan/packing/short-value.js';
import type { AgentStep } from '../../plan/step.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { canonicalJson, toText } from '../../plan/values/json.js';
import { isStored } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import type { Claim, JournalKey } from '../../store/journal/entry.js';
import { ClaimLostError } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import type { Attempt } from '../attempt/attempt.js';
import { attempt } from '../attempt/attempt.js';
import { begin, held, takeQuestion, whileHeld, writeAnswer } from '../attempt/call-journal.js';
import type { HookCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import type { ToolRun } from '../tools/handler/handler.js';
import { hookInput, hookNames } from '../tools/hooks/hook-input.js';
import type { HookWord } from '../tools/hooks/hook-word.js';
import { wordOf } from '../tools/hooks/hook-word.js';
import { runHook } from '../tools/hooks/run-hook.js';
import { stdinOf } from '../tools/makers/custom.js';
import type { FoundCall } from './shown-call.js';
import { findCallOf } from './shown-call.js';
import { tellResult } from './turn-log.js';

/** A reason is cut here: what a person is asked about is a sentence. */
const REASON_CHARACTERS = 4_000;

/**
 * Runs the hooks of an agent before or after one of its calls, and says what they came to. That they have begun, and
 * what they said, is journalled: a call that comes again does not run them again (I8).
 */
export function createCallHooks(deps: Dependencies): (call: HookCall) => Promise<HookAnswer> {
  const { store } = deps;
  return (call) =>
    attempt(store, call, 'agent', async (current) => {
      const found = await findCallOf(deps, call, call);
      const gave = call.when === 'after' ? await gaveOf(store, call) : null;
      if ('refusal' in found.found || gave?.is_error === true) return asBefore(store, call, gave);
      const request = sha256(
        canonicalJson({ tool: found.block.name, input: found.block.input, gave: gave === null ? null : gave.content }),
      );
      const taken = await takeQuestion(store, keyOf(call, 'hooks'), request, { ...current, ...call });
      if ('entry' in taken && taken.entry.request !== request)
        throw stepFailure('journal-mismatch', `Hooks of \`${call.path}\` were run for another call before.`);
      const word =
        'entry' in taken
          ? (taken.entry.response as unknown as HookWord) // `ask` put it there
          : await ask(store, call, { ...current, ...found, gave, request, claim: taken.claim });
      return answerOf(store, call, { word, gave, tool: found.block.name, log: current.log });
    });
}

interface Asking extends Attempt<AgentStep>, FoundCall {
  gave: ToolRun | null;
  request: ReturnType<typeof sha256>;
  claim: Claim;
}

async function ask(store: Store, call: HookCall, asking: Asking): Promise<HookWord> {
  const word = await held(asking.claim, async (claim) =>
    (await begin(store, keyOf(call, 'hooks-begun'), asking.request, call))
      ? wordOfAll(store, call, { ...asking, signal: whileHeld(asking.signal, claim) })
      : lost(call),
  );
  const response = word as unknown as Json; // texts alone
  const entry = { request: asking.request, response, at: new Date().toISOString() };
  if (!(await writeAnswer(store, keyOf(call, 'hooks'), { entry, claim: asking.claim }, call)))
    throw new ClaimLostError();
  return word;
}

function lost({ when }: HookCall): HookWord {
  const reason = 'its worker was lost while it ran, and it was not run again';
  return when === 'before' ? { kind: 'denies', reason } : { kind: 'passes', told: `A hook after the call: ${reason}.` };
}

/** One hook after the other; the first that forbids ends it. */
async function wordOfAll(store: Store, call: HookCall, asking: Asking): Promise<HookWord> {
  const { agent, found, signal, log, progress } = asking;
  const { permissions, hooks = [] } = agent;
  if ('refusal' in found || permissions === undefined) return { kind: 'passes' };
  const names = hookNames(found);
  const input = await inputOf(store, call, asking);
  let said: HookWord = { kind: 'passes' };
  for (const hook of hooks.filter((one) => one.when === call.when && matchesTool(one, names))) {
    log.write('note', `hook ${call.when} ${found.tool.name}: ${await lineOf(store, hook)}`);
    const context = { store, workspace: call.workspace, signal, log, progress, permissions, run: call.root.run };
    said = both(said, wordOf(call.when, await runHook(hook, input, context)));
    if (said.kind === 'denies' || said.kind === 'stops') return said;
  }
  return said;
}

async function lineOf(store: Store, { command }: Hook): Promise<string> {
  return (await store.getText(command)).replaceAll(/\s+/g, ' ').slice(0, 200);
}

async function inputOf(store: Store, call: HookCall, { agent, found, gave }: Asking): Promise<JsonObject> {
  if ('refusal' in found) return {};
  const { tool, args } = found;
  const stdin = tool.kind === 'custom' && tool.through === 'shell' ? await stdinOf(tool, args, store) : undefined;
  return {
    session_id: call.root.run,
    transcript_path: '/dev/null',
    cwd: call.workspace,
    permission_mode: 'default',
    hook_event_name: call.when === 'before' ? 'PreToolUse' : 'PostToolUse',
    agent_type: agent.name,
    tool_name: hookNames(found)[0] ?? tool.name,
    tool_input: hookInput({ ...found, workspace: call.workspace }, stdin),
    tool_use_id: `${call.path}/${call.turn}.${call.call + 1}`,
    ...(gave === null ? {} : { tool_response: gave.content }),
  };
}

/** What two hooks say together: the stricter of both, and all that is told. */
function both(one: HookWord, other: HookWord): HookWord {
  if (other.kind === 'denies' || other.kind === 'stops') return other;
  if (one.kind === 'asks' || other.kind === 'asks') {
    const reasons = [one, other].flatMap((word) => (word.kind === 'asks' ? [word.reason] : []));
    return { kind: 'asks', reason: reasons.join(' ') };
  }
  const told = [one, other].flatMap((word) => (word.kind === 'passes' && word.told !== undefined ? [word.told] : []));
  return told.length === 0 ? { kind: 'passes' } : { kind: 'passes', told: told.join('\n') };
}

interface Said {
  word: HookWord;
  gave: ToolRun | null;
  tool: string;
  log: Attempt['log'];
}

async function answerOf(store: Store, call: HookCall, { word, gave, tool, log }: Said): Promise<HookAnswer> {
  switch (word.kind) {
    case 'passes':
      return asBefore(store, call, gave, word.told);
    case 'asks':
      return { asks: await kept(store, word.reason) };
    case 'denies': {
      const run = { content: cutTo(`Not allowed by a hook: ${word.reason}`, REASON_CHARACTERS), is_error: true };
      tellResult(log, call, tool, run);
      return resultOf(store, run);
    }
    case 'stops':
      return { stops: cutTo(word.reason, STOP_CHARACTERS) };
  }
}

/** What the call gave, and below it what hooks have said of it. */
async function asBefore(store: Store, call: HookCall, gave: ToolRun | null, told?: string): Promise<HookAnswer> {
  if (gave === null) return { passes: true, ...(told === undefined ? {} : { told: await kept(store, told) }) };
  const before = call.told === undefined ? [] : [toText(await store.get(longHash(call.told)))];
  const notes = [...before, ...(told === undefined ? [] : [told])];
  if (notes.length === 0) return { passes: true };
  const content = `${toText(gave.content)}\n\nHooks say of this call:\n${notes.join('\n')}`;
  return resultOf(store, { content, is_error: gave.is_error });
}

async function gaveOf(store: Store, { ended }: HookCall): Promise<ToolRun> {
  // `callTool` put it there
  if (ended !== undefined && 'result' in ended) return (await store.get(longHash(ended.result))) as unknown as ToolRun;
  if (ended === undefined || !('answer' in ended)) return { content: null, is_error: true };
  const answer = longValue(ended.answer);
  return { content: isStored(answer) ? await store.get(answer.ref) : answer.value, is_error: false };
}

async function resultOf(store: Store, { content, is_error }: ToolRun): Promise<HookAnswer> {
  const { ref, bytes } = await store.putAlways({ content, is_error });
  return { result: shortHash(ref), bytes };
}

async function kept(store: Store, text: string): Promise<string> {
  return shortHash((await store.putAlways(cutTo(text, REASON_CHARACTERS))).ref);
}

function keyOf({ root, path, try: tried, turn, call, when }: HookCall, what: 'hooks' | 'hooks-begun'): JournalKey {
  return { scope: root.first, key: canonicalJson([path, tried, what, when, turn, call]) };
}
