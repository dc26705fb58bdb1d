/** What the fake endpoint does with one request. */
export type Answer =
  /**
   * Says something. `usage` is what it claims to have read and written; `stop` in Anthropic's words, `served` blocks of
   * its own tools.
   */
  | { text: string; stop?: string; usage?: Partial<AnswerUsage>; served?: object[] }
  /** Says something, perhaps, and calls tools; `stop` is what it says of its end where that is no call. */
  | { tools: SentCall[]; text?: string; stop?: string; usage?: Partial<AnswerUsage> }
  /** Refuses, with the provider's own form of error. */
  | { status: number; message?: string; kind?: string; headers?: Record<string, string> }
  /** Takes the request and never says a word. */
  | { hang: true }
  /**
   * Says this much and tears the connection. `usage` is what it has told before, where the protocol tells it at the
   * start.
   */
  | { breakAfter: string; usage?: Partial<AnswerUsage> }
  /** Says this much and then fails inside the stream. */
  | { failAfter: string; kind: string; message: string; usage?: Partial<AnswerUsage> }
  /** Says the first part, waits for `until`, then says the rest. */
  | { text: string; until: Promise<void>; rest: string; usage?: Partial<AnswerUsage> }
  /** Sends these bytes as they are, for broken protocols. */
  | { raw: string; media?: string };

/** A call as it is sent. */
export interface SentCall {
  name: string;
  input: unknown;
  /** Arguments as they are sent, where they are no JSON. */
  raw?: string;
  /** Its id, of any type; null for none. One of its own where this is absent. */
  id?: unknown;
}

export interface AnswerUsage {
  input: number;
  output: number;
  cache_read: number;
  cache_write_5m: number;
  cache_write_1h: number;
  /** Searches of the web, which Anthropic's own tool made. */
  searches?: number;
}

export interface RecordedMessage {
  role: string;
  text: string;
}

/** A request as the endpoint understood it. */
export interface RecordedRequest {
  /** From 1, in the order of arrival. */
  call: number;
  protocol: 'anthropic' | 'ollama' | 'openai';
  model: string;
  system: string;
  messages: RecordedMessage[];
  /** The last message of the user. */
  prompt: string;
  /** Of a conversation with tools: how many results were told so far, and the last ones. */
  results: { count: number; last: { text: string; is_error: boolean }[] };
  schema: unknown;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  /** Resolves when the client closed the connection before it had the whole answer. */
  abandoned: Promise<void>;
}
