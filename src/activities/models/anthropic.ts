import Anthropic, { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { ApplicationFailure } from '@temporalio/common';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { Effort } from '../../plan/names.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { LruCache } from '../../store/lru-cache.js';
import { createLruCache } from '../../store/lru-cache.js';
import { stepFailure } from '../failures.js';
import { conversationParams, servedIn, toBlocks, toParam } from './anthropic-blocks.js';
import type { Hearing } from './anthropic-stream.js';
import { gatherBlocks, readMessage } from './anthropic-stream.js';
import { isWhole, wholeMessage } from './anthropic-whole.js';
import { leanFetch } from './http/fetch.js';
import type { ModelMessage } from './protocol/message.js';
import { bytesGiven, callsIn, wordIn } from './protocol/message.js';
import { connectionFailure, httpFailure } from './model-failures.js';
import { effortFor, sentParams } from '../../plan/agents/model-rules.js';
import type { PriceTable } from '../dependencies.js';
import { costOf } from './choice/prices.js';
import type { CallContext, ModelAnswer, ModelProvider, ModelRequest } from './protocol/provider.js';
import { ANSWER_TOKENS, MISSING_KEY_RETRY_MS } from './protocol/provider.js';
import type { Ending } from './protocol/stop-reason.js';
import { stopFor } from './protocol/stop-reason.js';

const DEFAULT_URL = 'https://api.anthropic.com';

/** Clients that are kept: of so many accounts and addresses at most is a worker asked at once. */
const KEPT_CLIENTS = 16;

type Clients = LruCache<Anthropic>;

type Params = Omit<Anthropic.MessageCreateParamsStreaming, 'stream'>;

/** Claude through the Messages API. `prices` go before the built-in table. */
export function createAnthropicProvider(prices: PriceTable = {}): ModelProvider {
  const clients: Clients = createLruCache(KEPT_CLIENTS);
  return {
    call: async (request, context) => call(clientFor(clients, context), request, context),
    cost: (model, usage) => costOf(model, usage, prices),
  };
}

async function call(client: Anthropic, request: ModelRequest, context: CallContext): Promise<ModelAnswer> {
  try {
    return request.tools === undefined
      ? await askQuestion(client, paramsOf(request), context)
      : await askTurn(client, paramsOf(request), context);
  } catch (error) {
    throw context.signal.aborted ? error : toFailure(error, request, client.baseURL);
  }
}

/** A turn of a conversation: its blocks go back to the model as they came. */
async function askTurn(client: Anthropic, params: Params, context: CallContext): Promise<ModelAnswer> {
  const gathered = gatherBlocks();
  const end = await readAnswer(client, params, context, gathered.add);
  const content = gathered.blocks();
  const served = servedIn(content);
  const blocks = toBlocks(content);
  // Servers that speak this API say of an answer with calls that it ends as any other.
  const stop = end.stop === 'end' && callsIn(blocks).length > 0 ? 'tools' : end.stop;
  return { text: textIn(content), ...end, stop, blocks, ...(served.length === 0 ? {} : { served }) };
}

/**
 * A single question: of its answer only the text counts. To read the API's events alone takes a sixth less than to have
 * the SDK make a message of them.
 */
async function askQuestion(client: Anthropic, params: Params, context: CallContext): Promise<ModelAnswer> {
  let text = '';
  const end = await readAnswer(client, params, context, (event) => {
    if (event.type === 'content_block_start') text += textIn([event.content_block]);
    else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
      text += wordIn(event.delta.text);
  });
  return { text, ...end };
}

async function readAnswer(
  client: Anthropic,
  params: Params,
  context: CallContext,
  take: Hearing['onEvent'],
): Promise<Ending & Pick<ModelAnswer, 'usage'>> {
  const { signal, onAccepted, onSaid, onText, onUsage } = context;
  const { data, response } = await client.messages.create({ ...params, stream: true }, { signal }).withResponse();
  onAccepted?.();
  const { stop_reason, usage } = await readMessage(isWhole(response) ? wholeMessage(response) : data, {
    onEvent(event) {
      if (event.type === 'content_block_delta') {
        onSaid?.(bytesIn(event.delta));
        if (event.delta.type === 'text_delta') onText(wordIn(event.delta.text));
      }
      take(event);
    },
    onUsage: (told) => onUsage?.(told),
  });
  return { ...stopFor(stop_reason), usage };
}

/** A signature is no word of the model. */
function bytesIn(delta: Anthropic.RawContentBlockDelta): number {
  switch (delta.type) {
    case 'text_delta':
      return bytesGiven([delta.text]);
    case 'thinking_delta':
      return bytesGiven([delta.thinking]);
    case 'input_json_delta':
      return bytesGiven([delta.partial_json]);
    default:
      return 0;
  }
}

/** One client for each key and address: to make one costs more than to ask a model that answers at once. */
function clientFor(clients: Clients, { credentials, baseUrl }: CallContext): Anthropic {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: url } = credentials;
  if (!apiKey && !authToken) {
    throw stepFailure(
      'provider-missing',
      'No key for Anthropic: set `ANTHROPIC_API_KEY` and run any `perdure` command, `perdure watch` say; the ' +
        'step then goes on.',
      { afterMs: MISSING_KEY_RETRY_MS },
    );
  }
  const baseURL = baseUrl ?? (url || DEFAULT_URL);
  const key = JSON.stringify([apiKey || null, apiKey ? null : authToken, baseURL]);
  const kept = clients.get(key);
  if (kept !== undefined) return kept;
  const client = createClient(baseURL, apiKey ? { apiKey } : { authToken: authToken ?? null });
  clients.set(key, client, 1);
  return client;
}

/** Exactly one credential, and nothing that the SDK would take from the worker's environment by itself (I13). */
function createClient(baseURL: string, credential: { apiKey: string } | { authToken: string | null }): Anthropic {
  return new Anthropic({
    ...credential,
    baseURL,
    fetch: leanFetch,
    maxRetries: 0, // Who tries again is Temporal, which survives us (decision 13).
    logLevel: 'off',
    openTelemetry: false,
  });
}

/**
 * No sampling parameters of ours and no prefilled answer: the newest models refuse them. A conversation begins with the
 * user, so an instruction without a message is the message.
 */
function paramsOf({ model, system, messages, schema, tools, params, effort }: ModelRequest): Params {
  const alone = messages[0]?.role !== 'user';
  const said: ModelMessage[] = alone ? [{ role: 'user', text: system }, ...messages] : messages;
  const instruction = alone ? '' : system;
  const { limit, others } = sentParams({ provider: 'anthropic', model }, params);
  return {
    max_tokens: limit?.tokens ?? ANSWER_TOKENS.anthropic,
    ...others,
    model,
    ...(tools === undefined ? questionParams(instruction, said) : conversationParams(instruction, said, tools)),
    ...outputConfig(schema, effortFor('anthropic', model, effort)),
  };
}

/** The form of the answer, and how much the model thinks before it. */
function outputConfig(schema: Json, effort: Effort | undefined): Pick<Params, 'output_config'> {
  const format = schema === null ? {} : formatOf(schema);
  if (effort === undefined) return format;
  return { output_config: { ...format.output_config, effort } };
}

/** A single question: nothing of it is asked again, so nothing is worth caching. */
function questionParams(system: string, messages: ModelMessage[]): Pick<Params, 'system' | 'messages'> {
  return {
    ...(system === '' ? {} : { system }),
    messages: messages.map((message) => ({
      role: message.role,
      content: 'blocks' in message ? message.blocks.map((block) => toParam(block, false)) : message.text,
    })),
  };
}

/**
 * The subset of JSON Schema that the API takes; what is lost by it is told in descriptions, and checked by us later.
 */
function formatOf(schema: Json): Pick<Params, 'output_config'> {
  if (!isObject(schema)) return {};
  try {
    return { output_config: { format: { type: 'json_schema', schema: { ...transformJSONSchema(schema) } } } };
  } catch {
    return {}; // A schema that cannot be expressed so is still asked for in the prompt, and checked.
  }
}

function textIn(content: Anthropic.ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** What the kinds of errors mean that may come inside a stream. */
const STATUS: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
};

function toFailure(error: unknown, { model }: ModelRequest, url: string): Error {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof APIConnectionError || !(error instanceof APIError)) return connectionFailure(url, error);
  // An error inside the stream has no status of its own: the answer had begun with 200.
  const { status, type, apiMessage, message, headers } = error as APIError;
  return httpFailure({
    status: status ?? STATUS[type ?? ''] ?? 500,
    kind: type,
    message: apiMessage ?? message,
    header: (name) => headers?.get(name) ?? null,
    model,
  });
}
