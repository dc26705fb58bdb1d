import type { ServerResponse } from 'node:http';
import type { Answer, AnswerUsage, RecordedRequest } from './model-answer.js';

const KINDS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** Answers in the form of Anthropic's Messages API: server-sent events when the request says `stream`, else JSON. */
export async function answerAnthropic(
  response: ServerResponse,
  request: RecordedRequest,
  answer: Answer,
): Promise<void> {
  if ('hang' in answer) return;
  if ('raw' in answer)
    return void response.writeHead(200, { 'content-type': answer.media ?? 'text/event-stream' }).end(answer.raw);
  if ('status' in answer) return refuse(response, answer);
  if (request.body['stream'] === true) return stream(response, request, answer);
  const text = 'rest' in answer ? answer.text + answer.rest : 'text' in answer ? (answer.text ?? '') : '';
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ ...head(request, answer), content: [{ type: 'text', text }], stop_reason: stopOf(answer) }));
}

function refuse(
  response: ServerResponse,
  { status, message, kind, headers }: Extract<Answer, { status: number }>,
): void {
  const error = { type: kind ?? KINDS[status] ?? 'api_error', message: message ?? `status ${status}` };
  response
    .writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fake', ...headers })
    .end(JSON.stringify({ type: 'error', error, request_id: 'req_fake' }));
}

async function stream(response: ServerResponse, request: RecordedRequest, answer: Answer): Promise<void> {
  const send = (type: string, data: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const say = (text: string): void => {
    for (const piece of pieces(text))
      send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } });
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_fake' });
  send('message_start', { message: head(request, answer) });
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  send('ping', {});
  if ('breakAfter' in answer) {
    say(answer.breakAfter);
    return tear(response);
  }
  if ('failAfter' in answer) {
    say(answer.failAfter);
    send('error', { error: { type: answer.kind, message: answer.message } });
    return void response.end();
  }
  say('text' in answer ? (answer.text ?? '') : '');
  if ('until' in answer) {
    await answer.until;
    say(answer.rest);
  }
  send('content_block_stop', { index: 0 });
  if ('tools' in answer)
    answer.tools.forEach(({ name, input, raw, id }, at) =>
      callTool(send, {
        name,
        written: raw ?? JSON.stringify(input),
        index: at + 1,
        id: id === undefined ? `toolu_${request.call}_${at}` : id,
      }),
    );
  if ('served' in answer) answer.served?.forEach((block, at) => serve(send, block, at + 1));
  const { output, searches } = usageOf(answer);
  const served =
    searches === undefined ? {} : { server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } };
  send('message_delta', {
    delta: { stop_reason: stopOf(answer), stop_sequence: null },
    usage: { output_tokens: output, ...served },
  });
  send('message_stop', {});
  response.end();
}

/** A call comes as a block of its own, its arguments in pieces of JSON. */
function callTool(
  send: (type: string, data: object) => void,
  { name, written, index, id }: { name: string; written: string; index: number; id: unknown },
): void {
  const known = id === null ? {} : { id };
  send('content_block_start', { index, content_block: { type: 'tool_use', ...known, name, input: {} } });
  for (const piece of pieces(written))
    send('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: piece } });
  send('content_block_stop', { index });
}

/** What the API's own tools did comes as blocks too: the arguments of a use in pieces, a result as a whole. */
function serve(send: (type: string, data: object) => void, block: object, index: number): void {
  const { input, ...rest } = block as { input?: unknown };
  send('content_block_start', { index, content_block: input === undefined ? block : { ...rest, input: {} } });
  if (input !== undefined)
    for (const piece of pieces(JSON.stringify(input)))
      send('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: piece } });
  send('content_block_stop', { index });
}

function head(request: RecordedRequest, answer: Answer): object {
  const { input, cache_read, cache_write_5m, cache_write_1h, output } = usageOf(answer);
  const usage = {
    input_tokens: input,
    output_tokens: request.body['stream'] === true ? 1 : output,
    cache_read_input_tokens: cache_read,
    cache_creation_input_tokens: cache_write_5m + cache_write_1h,
    cache_creation: { ephemeral_5m_input_tokens: cache_write_5m, ephemeral_1h_input_tokens: cache_write_1h },
    service_tier: 'standard',
  };
  return {
    id: `msg_fake_${request.call}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
}

function usageOf(answer: Answer): AnswerUsage {
  return {
    input: 10,
    output: 5,
    cache_read: 0,
    cache_write_5m: 0,
    cache_write_1h: 0,
    ...('usage' in answer ? answer.usage : {}),
  };
}

function stopOf(answer: Answer): string {
  return 'stop' in answer && answer.stop !== undefined ? answer.stop : 'tools' in answer ? 'tool_use' : 'end_turn';
}

/** A model sends words, and a huge answer comes in big pieces so that tests stay quick. */
export function pieces(text: string): string[] {
  const size = text.length > 10_000 ? 32_768 : 12;
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** Ends the connection in the middle, once what was said is on its way. */
export function tear(response: ServerResponse): void {
  response.write('', () => response.destroy());
}
