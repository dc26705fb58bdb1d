import type { Json, JsonObject } from '../../../plan/values/json.js';
import type { Effort } from '../../../plan/names.js';
import type { RecordedAnswer } from '../../../plan/agents/recorded-answers.js';
import type { TaskRules } from '../../../plan/builds/task-rules.js';
import type { ModelChoice } from '../../../plan/agents/model-choice.js';
import type { Block, ModelMessage, OfferedTool } from './message.js';

/** One question to a model, the same for every provider. It is what the journal's request hash covers (I8). */
export interface ModelRequest {
  /** The provider's full model id. */
  model: string;
  /** The agent's instruction; empty for none. */
  system: string;
  /** May be empty: then the instruction is all there is to say, and a provider that wants a message sends it as one. */
  messages: ModelMessage[];
  /** JSON Schema of the answer; null for text. */
  schema: Json;
  /** What the model may call; absent for a single question, of which nothing is cached. */
  tools?: OfferedTool[];
  /** Settings of the model in the provider's own words; absent when the definition has none. */
  params?: JsonObject;
  /** How much it thinks before it answers; a model that has no such measure answers as it does. */
  effort?: Effort;
}

/** Tokens by what they cost. `input` counts those that were neither read from nor written to a cache. */
export interface Usage {
  input: number;
  output: number;
  cache_read: number;
  cache_write_5m: number;
  cache_write_1h: number;
  /** Searches of the web that the provider made, which cost by themselves; absent for none. */
  searches?: number;
}

/** What a model said, and why it stopped. Also an answer that is of no use was paid for. */
export interface ModelAnswer {
  text: string;
  /** `tools`: results are waited for. `paused`: the provider wants the conversation sent again, to go on by itself. */
  stop: 'end' | 'tools' | 'paused' | 'truncated' | 'context-full' | 'refused';
  usage: Usage;
  /** All that was said, in order, where tools were offered. */
  blocks?: Block[];
  /** What the provider's own tools did in it; absent for nothing. */
  served?: ServedCall[];
  /** Why the provider itself could not read what the model has written as a call: the model may write it again. */
  unreadable?: string;
  /** The provider's own word for why it stopped, in a line, where we know none such or it is one for a refusal. */
  word?: string;
}

/** One use of a tool that the provider runs, as people are told of it. */
export interface ServedCall {
  tool: string;
  input: Json;
  /** What it came to; null where that is still to come. `error` is the provider's own word. */
  came: { said: string } | { error: string } | null;
}

/** What a provider may use during a call; none of it is part of the request. */
export interface CallContext {
  signal: AbortSignal;
  credentials: Record<string, string | undefined>;
  /** Where a definition that a person wrote says so, else null. */
  baseUrl: string | null;
  /** Calls to make at once; absent where nobody says. */
  concurrency?: number;
  /** Told when the call goes out, before anything of it can have been paid. */
  onSent?: () => void;
  /** Told when the provider has taken the call, long before the answer is there. */
  onAccepted?: () => void;
  /**
   * Told what the provider counts so far, as a total, whenever it says so: also an answer that breaks off was paid for.
   */
  onUsage?: (usage: Usage) => void;
  /** Told the bytes of each piece of the answer: its text, and what is thought or said to tools, paid as well. */
  onSaid?: (bytes: number) => void;
  /** Takes the text of the answer as it comes. */
  onText: (text: string) => void;
  /**
   * What a rehearsal says (decision 10). `tasks`: its answer must be tasks that satisfy these rules; `spec`: of a build
   * with this completed spec.
   */
  rehearsal: { path: string; text: string | null; recorded: RecordedAnswer | null; tasks?: TaskRules; spec?: Json };
}

/** One way to reach models. `call` throws an `ApplicationFailure`, or anything when the signal has aborted. */
export interface ModelProvider {
  call(request: ModelRequest, context: CallContext): Promise<ModelAnswer>;
  /** What an answer cost in US dollars; null when nobody knows. */
  cost(model: string, usage: Usage): number | null;
}

/**
 * Tokens that an answer may have at most. Every Claude model we know allows it; an answer is paid by what it has, not
 * by what it may have, but what it may have is reserved (I8).
 */
export const ANSWER_TOKENS: Record<ModelChoice['provider'], number> = {
  anthropic: 32_000,
  ollama: 4_096,
  openai: 16_384,
  rehearsal: 0,
};

/** A host may have been started again from a shell without the key: there is something to wait for. */
export const MISSING_KEY_RETRY_MS = 15_000;

export const NO_USAGE: Usage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

/** The higher one of a total and what a provider says of it now, which is of any type: a total does not fall. */
export function higher(total: number, told: unknown): number {
  return typeof told === 'number' && told > total ? told : total;
}

/** All tokens of a call, read and written. */
export function tokensOf(usage: Usage): number {
  return usage.input + usage.output + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
}

/** Tokens that were read, cached or not, and those that were written. */
export function inAndOut({ input, output, cache_read, cache_write_5m, cache_write_1h }: Usage): {
  input: number;
  output: number;
} {
  return { input: input + cache_read + cache_write_5m + cache_write_1h, output };
}
