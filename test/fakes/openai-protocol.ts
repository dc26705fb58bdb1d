import type { ServerResponse } from 'node:http';
import { pieces, tear } from './anthropic-protocol.js';
import type { Answer, RecordedRequest } from './model-answer.js';

const STOPS: Record<string, string> = { end_turn: 'stop', max_tokens: 'length', refusal: 'content_filter' };

/** Answers in the form of OpenAI's `/v1/chat/completions`, streamed. */
export async function answerOpenai(response: ServerResponse, request: RecordedRequest, answer: Answer): Promise<void> {
  if ('hang' in answer) return;
  if ('status' in answer) return refuse(response, answer);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if ('raw' in answer) return void response.end(answer.raw);
  const head = { id: `chatcmpl-${request.call}`, object: 'chat.completion.chunk', model: request.model };
  const send = (data: object): void => void response.write(`data: ${JSON.stringify({ ...head, ...data })}\n\n`);
  const choice = (delta: object, finish_reason: string | null = null): void =>
    send({ choices: [{ index: 0, delta, finish_reason }] });
  const say = (text: string): void => {
    for (const piece of pieces(text)) choice({ content: piece });
  };
  choice({ role: 'assistant', content: '' });
  response.write(': keep-alive\n\n');
  if ('breakAfter' in answer) {
    say(answer.breakAfter);
    return tear(response);
  }
  if ('failAfter' in answer) {
    say(answer.failAfter);
    send({ error: { message: answer.message, type: answer.kind, code: null } });
    return void response.end();
  }
  say('text' in answer ? (answer.text ?? '') : '');
  if ('tools' in answer)
    choice({
      tool_calls: answer.tools.map(({ name, input, raw, id }, index) => ({
        index,
        ...(id === null ? {} : { id: id ?? `call_${request.call}_${index}` }),
        type: 'function',
        function: { name, arguments: raw ?? JSON.stringify(input) },
      })),
    });
  if ('until' in answer) {
    await answer.until;
    say(answer.rest);
  }
  choice(
    {},
    'tools' in answer && answer.stop === undefined
      ? 'tool_calls'
      : (STOPS['stop' in answer ? (answer.stop ?? 'end_turn') : 'end_turn'] ?? 'stop'),
  );
  send({ choices: [], usage: usageOf(answer) });
  response.end('data: [DONE]\n\n');
}

function refuse(
  response: ServerResponse,
  { status, message, kind, headers }: Extract<Answer, { status: number }>,
): void {
  const error = { message: message ?? `status ${status}`, type: kind ?? 'api_error', param: null, code: kind ?? null };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ error }));
}

function usageOf(answer: Answer): object {
  const { input, output, cache_read } = {
    input: 10,
    output: 5,
    cache_read: 0,
    ...('usage' in answer ? answer.usage : {}),
  };
  return {
    prompt_tokens: input + cache_read,
    completion_tokens: output,
    total_tokens: input + cache_read + output,
    prompt_tokens_details: { cached_tokens: cache_read },
  };
}
