import type { Json } from '../../plan/json.js';

export interface ModelMessage {
  role: 'user' | 'assistant';
  text: string;
}

/** One question to a model, the same for every provider. It is what the journal's request hash covers (I8). */
export interface ModelRequest {
  /** The provider's full model id. */
  model: string;
  /** The agent's instruction; empty for none. */
  system: string;
  messages: ModelMessage[];
  /** JSON Schema of the answer; null for text. */
  schema: Json;
}

/** Tokens by what they cost. `input` counts those that were neither read from nor written to a cache. */
export interface Usage {
  input: number;
  output: number;
  cache_read: number;
  cache_write_5m: number;
  cache_write_1h: number;
}

/** What a model said, and why it stopped. Also an answer that is of no use was paid for. */
export interface ModelAnswer {
  text: string;
  stop: 'end' | 'truncated' | 'context-full' | 'refused';
  usage: Usage;
}

/** What a provider may use during a call; none of it is part of the request. */
export interface CallContext {
  signal: AbortSignal;
  credentials: Record<string, string | undefined>;
  /** Where a definition that a person wrote says so, else null (S60). */
  baseUrl: string | null;
  /** Takes the answer as it comes. */
  onText: (text: string) => void;
  /** What a rehearsal says (decision 10). */
  rehearsal: { path: string; text: string | null };
}

/** One way to reach models. `call` throws an `ApplicationFailure`, or anything when the signal has aborted. */
export interface ModelProvider {
  call(request: ModelRequest, context: CallContext): Promise<ModelAnswer>;
  /** What an answer cost in US dollars; null when nobody knows. */
  cost(model: string, usage: Usage): number | null;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

/** All tokens of a call, read and written. */
export function tokensOf(usage: Usage): number {
  return Object.values<number>({ ...usage }).reduce((sum, count) => sum + count, 0);
}
