import { appendFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerAnthropic } from './anthropic-protocol.js';
import type { Answer, RecordedMessage, RecordedRequest } from './model-answer.js';
import { answerOllama } from './ollama-protocol.js';
import { answerOpenai } from './openai-protocol.js';
import { ruleBroken } from './request-rules.js';

export type { Answer, RecordedRequest } from './model-answer.js';

/** Answers in order, or one function that answers every request. */
export type Script = (Answer | ((request: RecordedRequest) => Answer))[] | ((request: RecordedRequest) => Answer);

export interface EndpointOptions {
  /** A file that gets a line of JSON (`call`, `model`, `prompt`) for every request. */
  file?: string;
  /** Models that `/api/tags` lists; others get Ollama's 404. */
  ollamaModels?: string[];
}

export interface ModelEndpoint {
  /** `http://127.0.0.1:<port>`, for `ANTHROPIC_BASE_URL` and for `OLLAMA_HOST`. */
  url: string;
  requests: RecordedRequest[];
  /** How many requests had this text in their last message. */
  countOf(text: string): number;
  /** Resolves with the request of this number (from 1), as soon as it has arrived. */
  arrival(call: number): Promise<RecordedRequest>;
  /** Stops, and throws when more was asked than the script had answers for. */
  close(): Promise<void>;
}

const PROTOCOLS = new Map<string, RecordedRequest['protocol']>([
  ['/v1/messages', 'anthropic'],
  ['/api/chat', 'ollama'],
  ['/v1/chat/completions', 'openai'],
]);
const ANSWERS = { anthropic: answerAnthropic, ollama: answerOllama, openai: answerOpenai };

/** A loopback server that speaks the APIs of Anthropic, Ollama and OpenAI, and says what the test wrote. */
export async function startModelEndpoint(script: Script, options: EndpointOptions = {}): Promise<ModelEndpoint> {
  const requests: RecordedRequest[] = [];
  const waiting: { call: number; resolve: (request: RecordedRequest) => void }[] = [];
  const problems: string[] = [];

  function answerTo(request: RecordedRequest): Answer {
    if (typeof script === 'function') return script(request);
    const next = script[request.call - 1];
    if (next !== undefined) return typeof next === 'function' ? next(request) : next;
    const problem =
      `The script of the model endpoint has ${script.length} answers, and this is call ${request.call}: ` +
      `${request.prompt.slice(0, 200)}`;
    problems.push(problem);
    return { status: 400, message: problem };
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
    if (path === '/api/tags')
      return json(response, 200, { models: (options.ollamaModels ?? []).map((name) => ({ name, model: name })) });
    const protocol = PROTOCOLS.get(path);
    if (protocol === undefined) return json(response, 404, { error: `no such path: ${path}` });
    const recorded = await record(incoming, response, protocol);
    if (recorded === null)
      return json(response, 400, {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'The request body is not valid JSON: no low surrogate in string',
        },
      });
    const request = { ...recorded, call: requests.length + 1 };
    requests.push(request);
    const broken = ruleBroken(protocol, request.body['messages']);
    if (options.file !== undefined)
      appendFileSync(
        options.file,
        `${JSON.stringify({ call: request.call, model: request.model, prompt: request.prompt })}\n`,
      );
    for (const { call, resolve } of waiting) if (call === request.call) resolve(request);
    if (protocol === 'ollama' && options.ollamaModels?.includes(request.model) === false)
      return json(response, 404, { error: `model '${request.model}' not found` });
    await ANSWERS[protocol](response, request, broken === null ? answerTo(request) : { status: 400, message: broken });
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      problems.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // A server on TCP has such an address.
    requests,
    countOf: (text) => requests.filter(({ prompt }) => prompt.includes(text)).length,
    arrival: (call) => {
      const arrived = requests[call - 1];
      return arrived !== undefined
        ? Promise.resolve(arrived)
        : new Promise((resolve) => waiting.push({ call, resolve }));
    },
    close: () => close(server, problems),
  };
}

async function close(server: Server, problems: string[]): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** What providers refuse: half of a character in any text. */
function hasHalves(value: unknown): boolean {
  if (typeof value === 'string') return /\p{Cs}/u.test(value);
  return typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasHalves);
}

async function record(
  incoming: IncomingMessage,
  response: ServerResponse,
  protocol: RecordedRequest['protocol'],
): Promise<Omit<RecordedRequest, 'call'> | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  // All protocols send objects.
  const body = JSON.parse(text) as Record<string, unknown>;
  if (/\p{Cs}/u.test(text) || hasHalves(body)) return null;
  const all = (body['messages'] as { role: string; content: unknown }[]).map((message) => ({
    role: message.role,
    text: textOf(message.content),
  }));
  const messages = all.filter(({ role }) => role !== 'system');
  const abandoned = new Promise<void>((resolve) =>
    response.once('close', () => {
      if (!response.writableEnded) resolve();
    }),
  );
  return {
    protocol,
    model: String(body['model']),
    messages,
    body,
    abandoned,
    system:
      protocol === 'anthropic' ? textOf(body['system'] ?? '') : (all.find(({ role }) => role === 'system')?.text ?? ''),
    prompt: lastOfUser(messages),
    results: resultsIn(body),
    schema: schemaIn(body, protocol),
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
  };
}

function schemaIn(body: Record<string, unknown>, protocol: RecordedRequest['protocol']): unknown {
  switch (protocol) {
    case 'anthropic':
      return (body['output_config'] as { format?: { schema?: unknown } } | undefined)?.format?.schema;
    case 'ollama':
      return body['format'];
    case 'openai':
      return (body['response_format'] as { json_schema?: { schema?: unknown } } | undefined)?.json_schema?.schema;
  }
}

/** Content is a text, or a list of blocks of which some are text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as { text?: string }[]).map(({ text }) => text ?? '').join('');
}

/** Results of tools, in Anthropic's words or in those of the other protocols. */
function resultsIn(body: Record<string, unknown>): RecordedRequest['results'] {
  const messages = (body['messages'] ?? []) as { role: string; content: unknown }[];
  const told = messages.map(({ role, content }) => {
    if (role === 'tool') return [{ text: textOf(content), is_error: false }];
    const blocks = Array.isArray(content)
      ? (content as { type?: string; content?: unknown; is_error?: boolean }[])
      : [];
    return blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({ text: textOf(block.content ?? ''), is_error: block.is_error === true }));
  });
  return { count: told.flat().length, last: told.at(-1) ?? [] };
}

function lastOfUser(messages: RecordedMessage[]): string {
  return messages.findLast(({ role }) => role === 'user')?.text ?? '';
}
