import { ApplicationFailure } from '@temporalio/common';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { stepFailure } from '../failures.js';
import { readAll, readLines } from './http/http.js';
import { connectionFailure, httpFailure, noAnswer } from './model-failures.js';
import { effortFor, sentParams } from '../../plan/agents/model-rules.js';
import { toFunction } from './ollama-chat.js';
import type { Chunk, Completion } from './openai-chat.js';
import { addChunk, bytesIn, errorIn, nothingSaid, toAnswer, toChat, wholeChunk } from './openai-chat.js';
import type { Posted } from './http/post.js';
import { headerOf, post } from './http/post.js';
import type { PriceTable } from '../dependencies.js';
import { costOf } from './choice/prices.js';
import type { CallContext, ModelAnswer, ModelProvider, ModelRequest } from './protocol/provider.js';
import { ANSWER_TOKENS, MISSING_KEY_RETRY_MS } from './protocol/provider.js';
import { sendable } from './protocol/sendable.js';
import { isObjectSchema, isStrictSchema } from './protocol/strict-schema.js';

const DEFAULT_URL = 'https://api.openai.com/v1';

/**
 * Models of OpenAI, and of every server that speaks its chat completions (vLLM, llama.cpp, LM Studio …), streamed.
 * `prices` go before the built-in table.
 */
export function createOpenaiProvider(prices: PriceTable = {}): ModelProvider {
  return { call, cost: (model, usage) => costOf(model, usage, prices) };
}

/** The address below which `/chat/completions` is: what a definition says, what `OPENAI_BASE_URL` says, else OpenAI. */
export function openaiUrl(...given: (string | null | undefined)[]): string {
  return (given.find((url) => url?.trim()) ?? DEFAULT_URL).trim().replace(/\/+$/, '');
}

async function call(request: ModelRequest, context: CallContext): Promise<ModelAnswer> {
  const { credentials, baseUrl, signal } = context;
  const url = openaiUrl(baseUrl, credentials['OPENAI_BASE_URL']);
  const key = credentials['OPENAI_API_KEY'] || null;
  // A server of one's own may need no key; OpenAI does.
  if (key === null && url === DEFAULT_URL)
    throw stepFailure(
      'provider-missing',
      'No key for OpenAI: set `OPENAI_API_KEY` and run any `perdure` command, `perdure watch` say; the step ' +
        'then goes on.',
      { afterMs: MISSING_KEY_RETRY_MS },
    );
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  try {
    const response = await post(`${url}/chat/completions`, { body: bodyOf(request, url), headers, signal });
    if (response.statusCode !== 200) throw await refused(response, request.model);
    context.onAccepted?.();
    return await readAnswer(response, context, request);
  } catch (error) {
    if (signal.aborted || error instanceof ApplicationFailure) throw error;
    throw connectionFailure(url, error);
  }
}

function bodyOf({ model, system, messages, schema, tools, params, effort }: ModelRequest, url: string): string {
  const thinks = effortFor('openai', model, effort);
  const { limit, others } = sentParams({ provider: 'openai', model }, params);
  // OpenAI's newest models know only the second name, and refuse both; other servers only the first, or what they say.
  const names = url === DEFAULT_URL ? ['max_completion_tokens'] : ['max_tokens', ...(limit?.names ?? [])];
  return JSON.stringify({
    ...Object.fromEntries(names.map((name) => [name, limit?.tokens ?? ANSWER_TOKENS.openai])),
    ...(thinks === undefined ? {} : { reasoning_effort: thinks }),
    ...others,
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...sendable(messages).flatMap(toChat)],
    ...(tools === undefined ? {} : { tools: tools.map(toFunction) }),
    ...formatOf(schema, url),
    stream: true,
    stream_options: { include_usage: true },
  });
}

/**
 * The schema as the provider's own feature, where that can be. OpenAI refuses one that is not of an object: that is
 * asked for in the prompt alone. Other servers hold their models to any.
 */
export function formatOf(schema: Json, url: string): JsonObject {
  if (schema === null || (url === DEFAULT_URL && !isObjectSchema(schema))) return {};
  const json_schema = { name: 'answer', schema, strict: isStrictSchema(schema) };
  return { response_format: { type: 'json_schema', json_schema } };
}

async function readAnswer(
  response: Posted,
  { onSaid, onText, onUsage }: CallContext,
  { model, tools }: ModelRequest,
): Promise<ModelAnswer> {
  const said = nothingSaid();
  let isDone = false;
  const unstreamed: string[] = [];
  const take = (chunk: Chunk): void => {
    const error = errorIn(chunk);
    if (error != null) throw refusal(statusIn(error) ?? 500, error, model);
    const added = addChunk(said, chunk);
    onSaid?.(bytesIn(chunk));
    if (chunk.usage != null) onUsage?.(said.usage);
    if (added !== '') onText(added);
  };
  // Every field of what is parsed is optional, and looked at before it is used.
  for await (const line of readLines(response.body)) {
    if (isDone) continue;
    if (line.startsWith('data:')) {
      const data = line.slice('data:'.length).trim();
      isDone = data === '[DONE]';
      if (!isDone) take((JSON.parse(data) ?? {}) as Chunk);
    } else if (unstreamed.length > 0 || line.startsWith('{')) unstreamed.push(line);
    // all others are comments that keep the connection alive, and names of events
  }
  if (unstreamed.length > 0) take(wholeAnswer(unstreamed.join('\n')));
  else if (!isDone && said.finish === null) throw new Error('the answer broke off');
  return toAnswer(said, tools !== undefined);
}

/** An answer that did not come in pieces. Throws where it is none: nothing in it would be an empty answer. */
function wholeAnswer(body: string): Chunk {
  const whole = wholeChunk(JSON.parse(body) as Completion);
  if (errorIn(whole) == null && whole.choices?.length === 0) throw noAnswer(body);
  return whole;
}

async function refused(response: Posted, model: string): Promise<Error> {
  const body = await readAll(response.body);
  return refusal(response.statusCode, errorOf(body), model, (name) => headerOf(response, name));
}

/** An account without money answers 429 like one that asks too often; only the second passes by itself. */
function refusal(
  status: number,
  error: unknown,
  model: string,
  header: (name: string) => string | null = () => null,
): Error {
  const { message, type, code } = detailsOf(error);
  const isUnpaid = code === 'insufficient_quota' || type === 'insufficient_quota';
  return httpFailure({
    status: isUnpaid ? 402 : status,
    kind: type,
    message: code === 'context_length_exceeded' ? `context length: ${message}` : message,
    model,
    header,
  });
}

/** The HTTP status that an error names as its code, as of servers that stand before others; null for none. */
function statusIn(error: unknown): number | null {
  const { code = null } = typeof error === 'object' ? (error as JsonObject) : {}; // it was parsed from JSON
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : null;
}

function detailsOf(error: unknown): { message: string; type: string | null; code: string | null } {
  if (typeof error !== 'object' || error === null) return { message: String(error), type: null, code: null };
  const { message, type, code } = error as JsonObject; // it was parsed from JSON
  return {
    message: typeof message === 'string' ? message : JSON.stringify(error),
    type: typeof type === 'string' ? type : null,
    code: typeof code === 'string' ? code : null,
  };
}

/** Most servers wrap their error as OpenAI does; of others the body is all there is. */
function errorOf(body: string): unknown {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return error ?? body;
  } catch {
    return body;
  }
}
