import { createHash } from 'node:crypto';
import type { ContextBlock, InjectedContext } from '../../plan/agents/injected-context.js';
import type { JsonObject } from '../../plan/values/json.js';
import { canonicalJson, toText } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { RunSettings } from '../../plan/run-input.js';
import { everyStepOf } from '../../plan/plan.js';
import type { Hash, Text } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import type { Session as Conversation, SessionMessage } from '../../store/records/session-files.js';
import { unansweredRuns } from '../../store/records/session-files.js';
import type { Store } from '../../store/store.js';
import { cutTo } from '../../plan/text/cut-to.js';
import { instructionsHash, instructionsIn } from './left-instructions.js';

/** Project instructions: what is longer is cut, with a mark. */
const AGENTS_MD_BYTES = 64 * 1024;
const MEMORY_CHARACTERS = 800;
const MESSAGE_CHARACTERS = 4_000;

/** How many memories, and messages of its session, the agents of a run are told where nobody says. */
export const TOLD = { memories: 5, messages: 20 };

/** A run, as far as what its agents are told depends on it. */
export interface ToldRun {
  plan: Plan;
  input: JsonObject;
  /** The project's folder. */
  root: string;
  session: Conversation | null;
  /** How many memories, and messages of the session, are told at most. */
  most: { memories: number; messages: number };
  /** What the run is about, in a few words: memories that fit it are told. */
  description?: string | undefined;
  /** Of a rerun: what was told the first time. What the session's history was then, it is now. */
  earlier?: Hash | undefined;
}

/**
 * Gathers what the agents of a run are told beside their prompts: AGENTS.md, memories that fit what is asked, and the
 * session's history. Gives what the run's settings say of it: the hash of AGENTS.md, which the run may change, and that
 * of the stored context, where there is something to tell.
 */
export async function storeContext(told: ToldRun, store: Store): Promise<Pick<RunSettings, 'context' | 'agents_md'>> {
  const text = instructionsIn(told.root);
  const context = await contextWith(text, told, store);
  return { agents_md: instructionsHash(text), ...(context === null ? {} : { context }) };
}

async function contextWith(content: Buffer | null, told: ToldRun, store: Store): Promise<Hash | null> {
  const { plan, input, session, most, description, earlier } = told;
  const usesAgents = [...everyStepOf(plan)].some(({ kind }) => kind === 'agent');
  if (!usesAgents && session === null) return null;
  const instructions = usesAgents ? await toldInstructions(content, store) : null;
  const about = [plan.name, shortText(plan.description), shortText(description), askedOf(input)].join(' ');
  const blocks = [
    ...(instructions === null ? [] : [instructions.block]),
    ...(await memoriesFor(about, store, most.memories)),
    ...(session === null ? await earlierHistory(store, earlier) : [await historyOf(session, most.messages, store)]),
  ].filter(({ text }) => text.trim() !== '');
  if (blocks.length === 0 && session === null) return null;
  const agents_md = instructions?.hash ?? null;
  const context: InjectedContext = { nonce: nonceOf(blocks), blocks, session: session?.session_id ?? null, agents_md };
  return (await store.putAlways({ ...context, blocks: blocks.map((block) => ({ ...block })) })).ref;
}

/**
 * The same for the same blocks, so that a rerun asks the same; whoever writes one block cannot know it, since it
 * depends on itself.
 */
function nonceOf(blocks: ContextBlock[]): string {
  return createHash('sha256').update(canonicalJson(blocks)).digest('hex').slice(0, 16);
}

async function toldInstructions(
  content: Buffer | null,
  store: Store,
): Promise<{ block: ContextBlock; hash: Hash } | null> {
  if (content === null) return null;
  const whole = content.toString('utf8');
  const text =
    content.length <= AGENTS_MD_BYTES
      ? whole
      : `${content.subarray(0, AGENTS_MD_BYTES).toString('utf8')}\n[cut: AGENTS.md has ${content.length} bytes]`;
  const hash = sha256(whole);
  return { block: { source: 'AGENTS.md', trusted: (await store.taintedBy(hash)) === null, text }, hash };
}

async function memoriesFor(query: string, store: Store, limit: number): Promise<ContextBlock[]> {
  if (limit === 0) return [];
  const found = await store.searchMemories({ query, limit });
  const text = found.map(({ category, text: said }) => `- [${category}] ${cutTo(said, MEMORY_CHARACTERS)}`).join('\n');
  return [{ source: 'memory', trusted: false, text }];
}

async function historyOf({ session_id, messages }: Conversation, most: number, store: Store): Promise<ContextBlock> {
  const open = await unansweredRuns(messages, store);
  const last = answersBehindQuestions(messages.slice(-most));
  const text = last.map((message) => messageText(message, open.has(message.run))).join('\n\n');
  return { source: `session:${session_id}`, trusted: false, text };
}

/** Runs that go on with a session at once answer in any order: each answer stands behind what it answers. */
function answersBehindQuestions(messages: SessionMessage[]): SessionMessage[] {
  return messages
    .filter(({ run }, index) => messages.findIndex((other) => other.run === run) === index)
    .flatMap((first) => messages.filter(({ run }) => run === first.run));
}

function messageText({ role, content, status, error }: SessionMessage, isOpen: boolean): string {
  const head = `[${role}${status === undefined ? '' : `, ${status}`}${isOpen ? ', not answered yet' : ''}]`;
  const failed = error == null ? '' : `\n[error] ${cutTo(error, MESSAGE_CHARACTERS)}`;
  return `${head}\n${cutTo(content, MESSAGE_CHARACTERS)}${failed}`;
}

async function earlierHistory(store: Store, earlier: Hash | undefined): Promise<ContextBlock[]> {
  if (earlier === undefined) return [];
  const { blocks } = (await store.get(earlier)) as unknown as InjectedContext; // as `injectContext` puts it there
  return blocks.filter(({ source }) => source.startsWith('session:'));
}

/** What the run was asked: its one input where that is a text, else all of them. */
export function askedOf(input: JsonObject): string {
  const values = Object.values(input);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : values.length === 0 ? '' : toText(input);
}

/** A long description is a stored text: its name says nothing. */
function shortText(text: Text | null | undefined): string {
  return typeof text === 'string' ? text : '';
}
