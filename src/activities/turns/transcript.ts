import type { JsonObject } from '../../plan/values/json.js';
import type { ModelChoice } from '../../plan/agents/model-choice.js';
import type { Hash } from '../../plan/values/value.js';
import { appendMessage, readMessage, readTranscript } from '../../store/transcript.js';
import type { Store } from '../../store/store.js';
import { stepFailure } from '../failures.js';
import type { Block, ModelMessage, ToolCall } from '../models/protocol/message.js';
import { blocksOf, callsIn } from '../models/protocol/message.js';

/** The first entry of a conversation's transcript: what does not change while it lasts. */
export interface Opening {
  /** The instruction. */
  system: string;
  /** By which later runs find the result (decision 14). */
  key: Hash;
  /** As in the first turn: later ones that have the same leave it out. */
  model: ModelChoice;
  /** From the state folder (`placeOf`). */
  workspace: string;
  /** The files that its attempt began with, a tree of the store; absent where none is kept. */
  files?: string;
}

/** What was said so far. */
export interface Transcript extends Opening {
  messages: ModelMessage[];
}

export function openTranscript(store: Store, { model, ...opening }: Opening): Promise<Hash> {
  // a choice is JSON-safe
  return appendMessage(store, null, { ...opening, model: { ...model } as JsonObject });
}

export function addMessage(store: Store, parent: Hash, message: ModelMessage): Promise<Hash> {
  return appendMessage(store, parent, message); // blocks are JSON
}

/** Reads a whole conversation from its last message back. Throws `internal` for a transcript without its opening. */
export async function readConversation(store: Store, head: Hash): Promise<Transcript> {
  const [opening, ...messages] = await readTranscript(store, head);
  if (typeof opening?.['system'] !== 'string' || typeof opening['key'] !== 'string')
    throw stepFailure('internal', `The transcript \`${head}\` has no beginning.`);
  // `addMessage` wrote nothing else
  return { ...(opening as unknown as Opening), messages: messages as unknown as ModelMessage[] };
}

/** The calls that the last message of a transcript asks for. */
export async function callsAt(store: Store, head: Hash): Promise<ToolCall[]> {
  return callsIn(blocksOf((await readMessage(store, head)) as unknown as ModelMessage)); // as above
}

/** One of the calls that the last message of a transcript asks for, by its index from 0. */
export async function callAt(store: Store, head: Hash, index: number): Promise<ToolCall> {
  const call = (await callsAt(store, head))[index];
  if (call === undefined) throw stepFailure('internal', `The message \`${head}\` has no call ${index + 1}.`);
  return call;
}

/** A message with the results of all calls of a turn, in their order, and what else is said with them. */
export function resultsMessage(
  calls: ToolCall[],
  results: { text: string; is_error: boolean }[],
  others: Block[] = [],
): ModelMessage {
  const blocks = calls.map(({ id, name }, index): Block => ({
    kind: 'result',
    id,
    name,
    ...(results[index] ?? { text: 'The call was not made.', is_error: true }),
  }));
  return { role: 'user', blocks: [...blocks, ...others] };
}
