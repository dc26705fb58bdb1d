import type { IncomingMessage } from 'node:http';
import { ApplicationFailure } from '@temporalio/common';
import { utf8Bytes } from '../../plan/json.js';
import { stepFailure } from '../failures.js';
import { readAll, readLines, request as send } from './http.js';
import { connectionFailure, httpFailure } from './model-failures.js';
import type { CallContext, ModelAnswer, ModelProvider, ModelRequest } from './provider.js';
import { NO_USAGE } from './provider.js';

const DEFAULT_PORT = '11434';
/** Unless told how long the context shall be, Ollama takes 4,096 tokens and drops the rest without a word. */
const SMALLEST_CONTEXT = 8_192;
const LARGEST_CONTEXT = 131_072;
const BYTES_PER_TOKEN = 3;
const ANSWER_TOKENS = 4_096;

/** Models on this machine or another, through Ollama's own API. */
export const ollamaProvider: ModelProvider = {
  call,
  // What runs on one's own machine has no price; what Ollama's cloud runs has one that we do not know.
  cost: (model) => (/[:-]cloud$/.test(model) ? null : 0),
};

/** The address of Ollama from what `OLLAMA_HOST` may hold: a URL, a host, `0.0.0.0` for "all of them". */
export function ollamaUrl(host: string | null | undefined): string {
  const text = host?.trim() || 'localhost';
  const url = new URL(/^https?:\/\//.test(text) ? text : `http://${text}`);
  const hasPort = /:\d+$/.test(text.replace(/\/.*$/, '')) || text.startsWith('http');
  if (!hasPort) url.port = DEFAULT_PORT;
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  return url.href.replace(/\/$/, '');
}

interface ChatLine {
  message?: { content?: string };
  error?: string;
  done?: boolean;
  done_reason?: string;
  prompt_eval_count?: number;
  eval_count?: number;
}

async function call(request: ModelRequest, context: CallContext): Promise<ModelAnswer> {
  const url = ollamaUrl(context.baseUrl ?? context.credentials['OLLAMA_HOST']);
  try {
    const response = await send(`${url}/api/chat`, { body: bodyOf(request), signal: context.signal });
    if (response.statusCode !== 200) throw await refused(response, request.model);
    return await readAnswer(response, context, request.model);
  } catch (error) {
    if (context.signal.aborted || error instanceof ApplicationFailure) throw error;
    throw connectionFailure(url, error);
  }
}

function bodyOf({ model, system, messages, schema }: ModelRequest): string {
  const all = [...(system === '' ? [] : [{ role: 'system', text: system }]), ...messages];
  const bytes = all.reduce((sum, { text }) => sum + utf8Bytes(text), 0);
  return JSON.stringify({
    model,
    messages: all.map(({ role, text }) => ({ role, content: text })),
    stream: true,
    ...(schema === null ? {} : { format: schema }),
    options: { num_ctx: contextFor(bytes / BYTES_PER_TOKEN + ANSWER_TOKENS) },
  });
}

/** Powers of two, so that the model is not loaded anew for every length. */
function contextFor(tokens: number): number {
  const needed = 2 ** Math.ceil(Math.log2(tokens));
  return Math.min(LARGEST_CONTEXT, Math.max(SMALLEST_CONTEXT, needed));
}

async function readAnswer(response: IncomingMessage, context: CallContext, model: string): Promise<ModelAnswer> {
  let text = '';
  for await (const line of readLines(response)) {
    const piece = JSON.parse(line) as ChatLine; // Every field is optional, and looked at before it is used.
    if (typeof piece.error === 'string') throw refusal(500, piece.error, model);
    const added = piece.message?.content ?? '';
    if (added !== '') context.onText(added);
    text += added;
    if (piece.done === true) {
      const usage = { ...NO_USAGE, input: piece.prompt_eval_count ?? 0, output: piece.eval_count ?? 0 };
      return { text, stop: piece.done_reason === 'length' ? 'truncated' : 'end', usage };
    }
  }
  throw new Error('the answer broke off');
}

async function refused(response: IncomingMessage, model: string): Promise<Error> {
  const body = await readAll(response);
  return refusal(response.statusCode ?? 500, messageIn(body), model, (name) => header(response, name));
}

function refusal(status: number, message: string, model: string, headerOf: (name: string) => string | null = () => null): Error {
  if (status === 404) return stepFailure('model-missing', `Ollama does not have the model \`${model}\`. Get it with \`ollama pull ${model}\`.`);
  return httpFailure({ status, kind: null, message, model, header: headerOf });
}

function header(response: IncomingMessage, name: string): string | null {
  const value = response.headers[name];
  return typeof value === 'string' ? value : null;
}

function messageIn(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' ? error : body;
  } catch {
    return body;
  }
}
