import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a model says to a program: a text, a call of one of the program's tools, a refusal, or nothing at all. */
export type ProgramAnswer =
  | { text: string }
  | { tool: string; input: Record<string, unknown> }
  | { status: number; message?: string; headers?: Record<string, string> }
  | { hang: true };

export interface ProgramRequest {
  /** From 1. */
  call: number;
  body: Record<string, unknown>;
  /** The whole body, to look for texts in. */
  text: string;
  /** Resolves when the program closes the connection without an answer. */
  abandoned: Promise<void>;
}

export interface ProgramEndpoint {
  url: string;
  requests: ProgramRequest[];
  arrival(call: number): Promise<ProgramRequest>;
  close(): Promise<void>;
}

/**
 * Tokens of every answer, in the words of each protocol below: 80 in, 20 from a cache, 7 out (3 more of thoughts at
 * Gemini).
 */
const WORDS = { input: 80, cached: 20, output: 7, thoughts: 3 };

/**
 * A loopback server that answers Claude Code (Messages), Codex (Responses) and Gemini CLI (generateContent) in their
 * own protocols, with what the test says. Requests beside the conversation are answered, and not counted.
 */
export async function startProgramEndpoint(
  script: (request: ProgramRequest) => ProgramAnswer,
): Promise<ProgramEndpoint> {
  const requests: ProgramRequest[] = [];
  const waiting: { call: number; resolve: (request: ProgramRequest) => void }[] = [];

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
    const text = await bodyOf(incoming);
    const speak = path.endsWith('/v1/messages')
      ? anthropic
      : path.endsWith('/responses')
        ? openai
        : /:(stream)?generateContent$/i.test(path)
          ? gemini
          : null;
    if (speak === null)
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"data":[],"models":[],"object":"list","totalTokens":42}');
    const abandoned = new Promise<void>((resolve) =>
      response.once('close', () => {
        if (!response.writableEnded) resolve();
      }),
    );
    const request = { call: requests.length + 1, body: JSON.parse(text) as Record<string, unknown>, text, abandoned };
    requests.push(request);
    for (const { call, resolve } of waiting) if (call === request.call) resolve(request);
    const answer = script(request);
    if ('hang' in answer) return;
    if ('status' in answer)
      return void response
        .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
        .end(JSON.stringify(refusalOf(answer)));
    speak(response, request, answer);
  }

  const server = createServer((incoming, response) => void handle(incoming, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a server on TCP has such an address
    requests,
    arrival: (call) => {
      const arrived = requests[call - 1];
      return arrived !== undefined
        ? Promise.resolve(arrived)
        : new Promise((resolve) => waiting.push({ call, resolve }));
    },
    close: () => stop(server),
  };
}

type Said = Exclude<ProgramAnswer, { status: number } | { hang: true }>;

function anthropic(response: ServerResponse, { call, body }: ProgramRequest, answer: Said): void {
  const usage = {
    input_tokens: WORDS.input,
    cache_read_input_tokens: WORDS.cached,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  };
  const message = {
    id: `msg_${call}`,
    type: 'message',
    role: 'assistant',
    model: body['model'],
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const [block, delta] =
    'text' in answer
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: answer.text },
        ]
      : [
          { type: 'tool_use', id: `toolu_${call}`, name: answer.tool, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(answer.input) },
        ];
  events(response, [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'text' in answer ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: WORDS.output },
    },
    { type: 'message_stop' },
  ]);
}

function openai(response: ServerResponse, { call, body }: ProgramRequest, answer: Said): void {
  const item =
    'text' in answer
      ? {
          type: 'message',
          id: `msg_${call}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: answer.text, annotations: [] }],
        }
      : {
          type: 'function_call',
          id: `fc_${call}`,
          call_id: `call_${call}`,
          name: answer.tool,
          arguments: JSON.stringify(answer.input),
          status: 'completed',
        };
  const asked = WORDS.input + WORDS.cached;
  const usage = {
    input_tokens: asked,
    input_tokens_details: { cached_tokens: WORDS.cached },
    output_tokens: WORDS.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: asked + WORDS.output,
  };
  const whole = {
    id: `resp_${call}`,
    object: 'response',
    status: 'completed',
    model: body['model'],
    output: [item],
    usage,
  };
  events(response, [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ]);
}

function gemini(response: ServerResponse, _request: ProgramRequest, answer: Said): void {
  const part = 'text' in answer ? { text: answer.text } : { functionCall: { name: answer.tool, args: answer.input } };
  const asked = WORDS.input + WORDS.cached;
  const usageMetadata = {
    promptTokenCount: asked,
    cachedContentTokenCount: WORDS.cached,
    candidatesTokenCount: WORDS.output,
    thoughtsTokenCount: WORDS.thoughts,
    totalTokenCount: asked + WORDS.output + WORDS.thoughts,
  };
  const content = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata,
    modelVersion: 'gemini-fake',
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(content)}\n\n`);
}

function events(response: ServerResponse, list: { type: string; [field: string]: unknown }[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_fake' });
  response.end(list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

/** One body that all three read: Anthropic by `type`, OpenAI by `message`, Google by `code` and `status`. */
function refusalOf({ status, message = `status ${status}` }: Extract<ProgramAnswer, { status: number }>): object {
  const type = status === 401 ? 'authentication_error' : status === 429 ? 'rate_limit_error' : 'api_error';
  return {
    type: 'error',
    error: { type, code: status, message, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'UNAUTHENTICATED' },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // a request gives bytes
  return Buffer.concat(chunks).toString('utf8');
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
