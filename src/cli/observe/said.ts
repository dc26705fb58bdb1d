import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { AskedText } from '../../activities/attempt/call-journal.js';
import type { Block, ModelMessage } from '../../activities/models/protocol/message.js';
import { readConversation } from '../../activities/turns/transcript.js';
import type { JournalEntry } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import { loadValue } from '../../store/transcript.js';
import { levelsTo } from './place.js';
import type { RunView } from './view/view.js';

/** What a model was asked in one try of a step, rendered, and all that was said after that. */
export interface Said {
  /** The instruction. */
  system: string;
  /** The prompt, the answers with the calls that they ask for, and what these gave, as the model was told it. */
  messages: ModelMessage[];
}

/** A try of a step, or of an agent that was called in it, in which a model has answered. */
export interface AskedTry {
  /** The step's path below the root run; with the segments of the call where another agent was called. */
  path: string;
  tried: number;
  /** The last question, which holds those before it; of a program, which remembers by itself, each. */
  questions: JournalEntry[];
}

/**
 * Tries of a step in which models have answered, in the order in which they began, from the journal of its run. Empty
 * for other steps, and where the journal is gone. What is asked at this moment is not among them.
 */
export async function askedTries(view: RunView, path: string, store: Pick<Store, 'listJournal'>): Promise<AskedTry[]> {
  const scope = scopeOf(view, path);
  if (scope === null) return [];
  const tries = new Map<string, AskedTry>();
  for (const [key, entry] of await store.listJournal(scope, `[${JSON.stringify(path).slice(0, -1)}`)) {
    const question = questionOf(key);
    if (question === null || entry.asked === undefined || !isOf(question.path, path)) continue;
    const { path: at, tried, remembers } = question;
    const name = JSON.stringify([at, tried]);
    const before = remembers ? (tries.get(name)?.questions ?? []) : [];
    tries.set(name, { path: at, tried, questions: [...before, entry] });
  }
  return [...tries.values()];
}

/** All that was said in a try. Throws a `StoreFailure` where some of it is missing in the store. */
export async function readSaid({ questions }: AskedTry, store: Store): Promise<Said> {
  const said: Said = { system: '', messages: [] };
  for (const { asked = { value: null }, response } of questions) {
    // `askOnce` put it there.
    const question = (await loadValue(asked, store)) as unknown as AskedText;
    const { system, messages } = await questionText(question, store);
    said.system ||= system;
    said.messages.push(...messages, ...answerIn(response));
  }
  return said;
}

async function questionText(asked: AskedText, store: Store): Promise<Said> {
  return 'transcript' in asked ? readConversation(store, asked.transcript) : asked;
}

function answerIn(response: Json): ModelMessage[] {
  if (!isObject(response)) return [];
  const { blocks, text } = response;
  // A provider's answer has blocks or a text.
  if (Array.isArray(blocks)) return [{ role: 'assistant', blocks: blocks as unknown as Block[] }];
  return typeof text === 'string' ? [{ role: 'assistant', text }] : [];
}

/**
 * Questions to models are `[path, try, 0, again]`, `[path, try, 'turn', turn, asked]` and `[path, try, 'program',
 * again]`; null for what else is journalled.
 */
function questionOf(key: string): { path: string; tried: number; remembers: boolean } | null {
  const parts: unknown = JSON.parse(key); // a key that begins with `[` is canonical JSON of a list
  if (!Array.isArray(parts)) return null;
  const [path, tried, kind, ...numbers] = parts as Json[];
  const isQuestion = kind === 0 || kind === 'turn' || kind === 'program';
  if (!isQuestion || !numbers.every((one) => typeof one === 'number')) return null;
  return typeof path === 'string' && typeof tried === 'number' ? { path, tried, remembers: kind === 'program' } : null;
}

/** Tells whether a conversation is that of the step, or of an agent that is called in it. */
function isOf(path: string, step: string): boolean {
  return path === step || (path.startsWith(`${step}/`) && /^(\/\d+\.\d+)+$/.test(path.slice(step.length)));
}

/** The journal's scope for a step: a nested run that was tried again has one of its own (I8). */
function scopeOf(view: RunView, path: string): string | null {
  const { journal } = view;
  if (journal === undefined || journal === '') return null;
  return levelsTo(view, path)
    .slice(0, -1)
    .filter(({ step }) => step.nested !== null)
    .reduce((scope, { step: { path: at, result, attempt } }) => {
      const tried = result?.attempts ?? attempt;
      return tried > 1 ? `${scope} ${at} ${String(tried)}` : scope;
    }, journal);
}
