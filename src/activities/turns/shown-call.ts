import { createHash } from 'node:crypto';
import type { Action } from '../../plan/tools/action.js';
import { MESSAGE_CHARACTERS } from '../../plan/gates/gate.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';
import { isForAutonomy, judgeCall } from '../../plan/gates/autonomy.js';
import type { Permissions } from '../../plan/tools/permission.js';
import { isAgentCall } from '../../plan/tools/permission.js';
import { MOST_ATTACHED_BYTES } from '../../plan/values/attached-media.js';
import { cutTo } from '../../plan/text/cut-to.js';
import { longHash } from '../../plan/packing/short-hash.js';
import type { Agent, AgentStep } from '../../plan/step.js';
import { isStored } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { GateCall, StepCall, ToolPlace } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import type { Shown } from '../values/content-hash.js';
import { shownAgain } from '../values/content-hash.js';
import { loadStep } from '../values/load-step.js';
import { locatedCall } from '../workspace/located-call.js';
import { readBytesFile } from '../workspace/read.js';
import { FileRefusal } from '../refusal.js';
import type { ToolCall as CallBlock } from '../models/protocol/message.js';
import type { Asker } from './asker.js';
import { askerOf } from './asker.js';
import type { Callable } from './offered-tools.js';
import { findCall, usesOf } from './offered-tools.js';
import { callAt } from './transcript.js';

/** So much of what a hook says fits into the question. */
const ASKED = 1_000;

/** A call of a tool, found again by where it stands in its transcript. */
export interface FoundCall extends Asker {
  block: CallBlock;
  found: Callable | { refusal: string };
}

/** Finds the call that a located one is about: whose it is, what it says, and what it would do. */
export async function findCallOf(deps: Dependencies, call: StepCall, tool: ToolPlace): Promise<FoundCall> {
  const { plan, step } = await loadStep(deps.store, call, 'agent');
  const asker = await askerOf(deps, plan, agentOf(step, tool.agent), { ...call, ...tool });
  const block = await callAt(deps.store, longHash(tool.head), tool.call);
  return {
    ...asker,
    block,
    found: await findCall(deps.store, usesOf(asker), block, tool.workspace),
  };
}

function agentOf(step: AgentStep, short: string | undefined): AgentStep['agent'] {
  return short === undefined ? step.agent : longHash(short);
}

/**
 * What a person is shown of a call; or why there is nothing to ask, for its model: another call of the turn may have
 * taken its name.
 */
export async function shownCall(
  deps: Dependencies,
  call: GateCall,
  tool: ToolPlace,
): Promise<(Shown & { people?: true }) | { refusal: string }> {
  const located = locatedCall(deps.store, tool);
  const { agent, found } = await findCallOf(deps, call, located);
  if ('refusal' in found) return found;
  const shown = await shownOf(deps.store, agent, { ...found, workspace: located.workspace }, tool);
  return {
    ...(tool.renewed === true ? shownAgain(shown) : shown),
    ...(isForAutonomy(agent.permissions, found.action) ? { people: true } : {}),
  };
}

/** What a person is shown of a call. Its hash is what was allowed, and what the call must have when it is made. */
export async function shownOf(
  store: Store,
  agent: Agent,
  { tool, action, args, workspace }: Pick<Callable, 'tool' | 'action' | 'args'> & { workspace?: string },
  { autonomy = [], hooked }: Pick<ToolPlace, 'autonomy' | 'hooked'> = {},
): Promise<Shown> {
  const verdict = agent.permissions === undefined ? null : judgeCall(agent.permissions, autonomy, action);
  const why = verdict === null || verdict.verdict === 'allow' ? '' : ` ${verdict.reason}`;
  const hook = hooked === undefined ? '' : ` A hook asks: ${cutTo(toText(await store.get(longHash(hooked))), ASKED)}`;
  const message = `The agent \`${agent.name}\` wants to use \`${tool.name}\`.${why}${hook} Allow it?`;
  return {
    message: cutTo(message, MESSAGE_CHARACTERS),
    content: await contentOf(store, agent, { action, args, workspace }),
  };
}

/**
 * What is made is shown itself, not where it stands; all else with all that it is given: the text that is written, what
 * a program reads.
 */
async function contentOf(
  store: Store,
  { permissions }: Agent,
  { action, args, workspace }: { action: Action; args: JsonObject; workspace: string | undefined },
): Promise<Json> {
  if (isAgentCall(action) && action.files !== undefined && permissions !== undefined && workspace !== undefined) {
    const attached = await Promise.all(action.files.map((path) => fileAsShown({ workspace, permissions }, path)));
    return { ...action, attached, input: args };
  }
  if (action.kind !== 'make') return { ...action, input: args };
  const { content, ...about } = action;
  return { ...about, content: isStored(content) ? await store.get(content.ref) : content.value };
}

/** A file that goes along with a call: an approval holds for what it is now. */
async function fileAsShown(place: { workspace: string; permissions: Permissions }, path: string): Promise<Json> {
  try {
    const bytes = await readBytesFile(place, path, MOST_ATTACHED_BYTES);
    return { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    if (error instanceof FileRefusal) return { path, refused: error.message };
    throw error;
  }
}
