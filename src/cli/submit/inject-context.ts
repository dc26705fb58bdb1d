import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../compiler/project/config.js';
import type { ContextBlock, InjectedContext } from '../../plan/agents/injected-context.js';
import type { JsonObject } from '../../plan/values/json.js';
import { canonicalJson, toText } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import { everyStepOf } from '../../plan/plan.js';
import type { RunSettings } from '../../plan/run-input.js';
import type { Hash, Text } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import { INSTRUCTION_BYTES, readPlainNow } from '../../store/read-plain.js';
import type { Session as Conversation } from '../../store/records/session-files.js';
import type { Store } from '../../store/store.js';
import type { Session } from '../session.js';
import type { WantedSession } from './conversation.js';
import { openConversation } from './conversation.js';

/** Project instructions: what is longer is cut, with a mark. */
const AGENTS_MD_BYTES = 64 * 1024;
const DEFAULTS = { memories: 5, memory_characters: 800, messages: 20, message_characters: 4_000 };

/** A submission, as far as what its agents are told depends on it. */
export interface Submitted {
  run: string;
  plan: Plan;
  input: JsonObject;
  settings: RunSettings;
  session: WantedSession | null;
  /** What the run is about, in a few words: memories that fit it are told. */
  description?: string | undefined;
  /** Of a rerun: what was told the first time. What the session's history was then, it is now. */
  earlier?: Hash | undefined;
}

/**
 * Settles what the agents of a run are told beside their prompts: AGENTS.md, memories that fit what is
 * asked, and the session's history; gives the run's settings with it. Throws a usage error for a session that is not
 * there, or that another program began.
 */
export async function injectContext(
  { run, plan, input, settings, session: wanted, description, earlier }: Submitted,
  { store, project, config }: Pick<Session, 'store' | 'project' | 'config'>,
): Promise<RunSettings> {
  const asked = askedOf(input);
  const session =
    wanted === null
      ? null
      : await openConversation(wanted, { store, plan, settings, days: config.sessions?.expire_days, description });
  const usesAgents = [...everyStepOf(plan)].some(({ kind }) => kind === 'agent');
  if (!usesAgents && session === null) return settings;
  const instructions = usesAgents ? await readInstructions(project.root, store) : null;
  const about = [plan.name, shortText(plan.description), shortText(description), asked].join(' ');
  const blocks = [
    ...(instructions === null ? [] : [instructions.block]),
    ...(await memoriesFor(about, store, config)),
    ...(session === null ? await earlierHistory(store, earlier) : [historyOf(session, config)]),
  ].filter(({ text }) => text.trim() !== '');
  if (session !== null)
    await store.addMessage(session.session_id, { role: 'user', content: asked, run, at: new Date().toISOString() });
  if (blocks.length === 0 && session === null) return settings;
  const agents_md = instructions?.hash ?? null;
  const context: InjectedContext = { nonce: nonceOf(blocks), blocks, session: session?.session_id ?? null, agents_md };
  return {
    ...settings,
    context: (await store.putAlways({ ...context, blocks: blocks.map((block) => ({ ...block })) })).ref,
  };
}

/**
 * The same for the same blocks, so that a rerun asks the same; whoever writes one block cannot know it, since it
 * depends on itself.
 */
function nonceOf(blocks: ContextBlock[]): string {
  return createHash('sha256').update(canonicalJson(blocks)).digest('hex').slice(0, 16);
}

async function readInstructions(root: string, store: Store): Promise<{ block: ContextBlock; hash: Hash } | null> {
  const content = readPlainNow(join(root, 'AGENTS.md'), INSTRUCTION_BYTES);
  if (content === null) return null;
  const whole = content.toString('utf8');
  const text =
    content.length <= AGENTS_MD_BYTES
      ? whole
      : `${content.subarray(0, AGENTS_MD_BYTES).toString('utf8')}\n[cut: AGENTS.md has ${content.length} bytes]`;
  const hash = sha256(whole);
  return { block: { source: 'AGENTS.md', trusted: (await store.taintedBy(hash)) === null, text }, hash };
}

async function memoriesFor(query: string, store: Store, { memory }: Config): Promise<ContextBlock[]> {
  const found = await store.searchMemories({ query, limit: memory?.inject ?? DEFAULTS.memories });
  const text = found
    .map(({ category, text: said }) => `- [${category}] ${cut(said, DEFAULTS.memory_characters)}`)
    .join('\n');
  return [{ source: 'memory', trusted: false, text }];
}

function historyOf({ session_id, messages }: Conversation, { sessions }: Config): ContextBlock {
  const last = messages.slice(-(sessions?.max_history ?? DEFAULTS.messages));
  return { source: `session:${session_id}`, trusted: false, text: last.map(messageText).join('\n\n') };
}

function messageText({ role, content, status, error }: Conversation['messages'][number]): string {
  const head = `[${role}${status === undefined ? '' : `, ${status}`}]`;
  const failed = error == null ? '' : `\n[error] ${cut(error, DEFAULTS.message_characters)}`;
  return `${head}\n${cut(content, DEFAULTS.message_characters)}${failed}`;
}

async function earlierHistory(store: Store, earlier: Hash | undefined): Promise<ContextBlock[]> {
  if (earlier === undefined) return [];
  const { blocks } = (await store.get(earlier)) as unknown as InjectedContext; // as `injectContext` puts it there
  return blocks.filter(({ source }) => source.startsWith('session:'));
}

/** What the run was asked: its one input where that is a text, else all of them. */
function askedOf(input: JsonObject): string {
  const values = Object.values(input);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : values.length === 0 ? '' : toText(input);
}

/** A long description is a stored text: its name says nothing. */
function shortText(text: Text | null | undefined): string {
  return typeof text === 'string' ? text : '';
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}
