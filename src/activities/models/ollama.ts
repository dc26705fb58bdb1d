import { ApplicationFailure } from '@temporalio/common';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { utf8Bytes } from '../../plan/values/json.js';
import { BYTES_PER_TOKEN } from '../../plan/budget/price.js';
import { stepFailure } from '../failures.js';
import { readAll, readLines } from './http/http.js';
import { messageBytes } from './protocol/message.js';
import { connectionFailure, httpFailure } from './model-failures.js';
import { OTHER_MODELS } from '../../plan/agents/model-names.js';
import type { ChatLine, Said } from './ollama-chat.js';
import { addPiece, bytesIn, toAnswer, toChat, toFunction } from './ollama-chat.js';
import type { Posted } from './http/post.js';
import { headerOf, post } from './http/post.js';
import type { CallContext, ModelAnswer, ModelProvider, ModelRequest } from './protocol/provider.js';
import { effortFor, sentParams } from '../../plan/agents/model-rules.js';
import { answerTokens } from './choice/with-price.js';
import { isCloudModel, ollamaUrl } from './http/ollama-address.js';

/** Unless told how long the context shall be, Ollama takes 4,096 tokens and drops the rest without a word. */
const SMALLEST_CONTEXT = 8_192;
const LARGEST_CONTEXT = 131_072;
/** What Ollama says of a call that its model has written and that is no JSON. */
const UNREADABLE = /error parsing tool call/i;

/** Models on this machine or another, through Ollama's own API. */
export const ollamaProvider: ModelProvider = {
  call,
  // What runs on one's own machine has no price; what Ollama's cloud runs has one that we do not know.
  cost: (model) => (isCloudModel(model) ? null : 0),
};

async function call(request: ModelRequest, context: CallContext): Promise<ModelAnswer> {
  const url = ollamaUrl(context.baseUrl ?? context.credentials['OLLAMA_HOST']);
  try {
    const response = await post(`${url}/api/chat`, { body: bodyOf(request), signal: context.signal });
    if (response.statusCode !== 200) throw await refused(response, request.model);
    context.onAccepted?.();
    return await readAnswer(response, context, request);
  } catch (error) {
    if (context.signal.aborted || error instanceof ApplicationFailure) throw error;
    throw connectionFailure(url, error);
  }
}

/**
 * A format would bind every word of the model, so where it may call tools the schema is only asked for, and checked.
 */
function bodyOf({ model, system, messages, schema, tools, params, effort }: ModelRequest): string {
  const bytes =
    utf8Bytes(system) +
    utf8Bytes(JSON.stringify(tools ?? [])) +
    messages.reduce((sum, message) => sum + messageBytes(message), 0);
  const { limit, others } = sentParams({ provider: 'ollama', model }, params);
  const most = limit?.tokens ?? answerTokens({ provider: 'ollama', model });
  const { keep_alive, think = effortFor('ollama', model, effort), format, ...options } = others;
  return JSON.stringify({
    ...present({ keep_alive, think, format }),
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages.flatMap(toChat)],
    stream: true,
    ...(tools === undefined ? {} : { tools: tools.map(toFunction) }),
    ...(schema === null || tools !== undefined ? {} : { format: schema }),
    options: {
      num_ctx: contextFor(bytes / BYTES_PER_TOKEN + most),
      ...options,
      // On one's own machine an answer costs nothing: nobody who sets no limit wants it cut.
      ...(limit === null && !isCloudModel(model) ? {} : { num_predict: most }),
    },
  });
}

/** Those of a request's own fields that are set; everything else that a definition sets is an option of the model. */
function present(fields: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Powers of two, so that the model is not loaded anew for every length. */
function contextFor(tokens: number): number {
  const needed = 2 ** Math.ceil(Math.log2(tokens));
  return Math.min(LARGEST_CONTEXT, Math.max(SMALLEST_CONTEXT, needed));
}

async function readAnswer(
  response: Posted,
  context: CallContext,
  { model, tools }: ModelRequest,
): Promise<ModelAnswer> {
  const said: Said = { text: '', calls: [] };
  for await (const line of readLines(response.body)) {
    const piece = (JSON.parse(line) ?? {}) as ChatLine; // Every field is optional, and looked at before it is used.
    if (typeof piece.error === 'string' && UNREADABLE.test(piece.error))
      return { ...toAnswer(said, piece, tools !== undefined), unreadable: piece.error };
    if (typeof piece.error === 'string') throw refusal(500, piece.error, model);
    const added = addPiece(said, piece);
    context.onSaid?.(bytesIn(piece));
    if (added !== '') context.onText(added);
    if (piece.done === true) return toAnswer(said, piece, tools !== undefined);
  }
  throw new Error('the answer broke off');
}

async function refused(response: Posted, model: string): Promise<Error> {
  const body = await readAll(response.body);
  return refusal(response.statusCode, messageIn(body), model, (name) => headerOf(response, name));
}

function refusal(
  status: number,
  message: string,
  model: string,
  header: (name: string) => string | null = () => null,
): Error {
  if (/does not support tools/.test(message))
    return stepFailure(
      'model-missing',
      `\`${model}\` cannot use tools, and its agent has some. Choose a model that can, \`qwen3\` say (\`ollama ` +
        `pull qwen3\`), or take the agent's tools away.`,
    );
  if (status === 404)
    return stepFailure(
      'model-missing',
      `Ollama does not have the model \`${model}\`. Get it with \`ollama pull ${model}\`. ${OTHER_MODELS}`,
    );
  return httpFailure({ status, kind: null, message, model, header });
}

function messageIn(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' ? error : body;
  } catch {
    return body;
  }
}
