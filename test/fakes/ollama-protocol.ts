import type { ServerResponse } from 'node:http';
import { pieces, tear } from './anthropic-protocol.js';
import type { Answer, RecordedRequest } from './model-answer.js';

/** Answers in the form of Ollama's `/api/chat`: lines of JSON. */
export async function answerOllama(response: ServerResponse, request: RecordedRequest, answer: Answer): Promise<void> {
  if ('hang' in answer) return;
  if ('status' in answer) {
    return void response
      .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
      .end(JSON.stringify({ error: answer.message ?? `status ${answer.status}` }));
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  if ('raw' in answer) return void response.end(answer.raw);
  const send = (line: object): void =>
    void response.write(`${JSON.stringify({ model: request.model, created_at: '2026-01-01T00:00:00Z', ...line })}\n`);
  const say = (text: string): void => {
    for (const piece of pieces(text)) send({ message: { role: 'assistant', content: piece }, done: false });
  };
  if ('breakAfter' in answer) {
    say(answer.breakAfter);
    return tear(response);
  }
  if ('failAfter' in answer) {
    say(answer.failAfter);
    send({ error: answer.message });
    return void response.end();
  }
  say(textOf(answer));
  send({ message: { role: 'assistant', content: '', ...callsIn(answer) }, done: false });
  if ('until' in answer) {
    await answer.until;
    say(answer.rest);
  }
  const usage = 'usage' in answer ? answer.usage : undefined;
  const reason = 'stop' in answer && answer.stop === 'max_tokens' ? 'length' : 'stop';
  send({
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: reason,
    prompt_eval_count: usage?.input ?? 10,
    eval_count: usage?.output ?? 5,
    total_duration: 1,
    load_duration: 1,
  });
  response.end();
}

function callsIn(answer: Answer): object {
  return 'tools' in answer
    ? { tool_calls: answer.tools.map(({ name, input, raw }) => ({ function: { name, arguments: raw ?? input } })) }
    : {};
}

function textOf(answer: Answer): string {
  return 'text' in answer ? (answer.text ?? '') : '';
}
