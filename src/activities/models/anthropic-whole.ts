import { text } from 'node:stream/consumers';
import type Anthropic from '@anthropic-ai/sdk';
import { APIError } from '@anthropic-ai/sdk';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { noAnswer } from './model-failures.js';
import { wordIn } from './protocol/message.js';

/** Tells whether an answer comes as one piece of JSON: some servers that speak this API do not stream. */
export function isWhole({ headers }: Response): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '');
}

/** The events that a stream would have of such an answer. Throws the error that it tells, and where it is none. */
export async function* wholeMessage(response: Response): AsyncGenerator<Anthropic.RawMessageStreamEvent> {
  const body = await text(response.body as unknown as AsyncIterable<Uint8Array>); // so are both kinds of streams
  const events = [...body.matchAll(/^data:(.*)$/gm)];
  if (events.length > 0 && !body.trimStart().startsWith('{')) yield* eventsIn(events, response);
  else yield* wholeIn(body, response);
}

function* wholeIn(body: string, response: Response): Generator<Anthropic.RawMessageStreamEvent> {
  const message = JSON.parse(body) as Json; // JSON.parse gives JSON
  const { error, content } = isObject(message) ? message : {};
  if (isObject(error ?? null)) throw errorOf(message as JsonObject, error as JsonObject, response); // isObject said so
  if (!Array.isArray(content)) throw noAnswer(body);
  // What is looked at of the API's forms is looked at as in a stream.
  const start = { ...(message as JsonObject), content: [] } as unknown as Anthropic.Message;
  yield { type: 'message_start', message: start };
  for (const [index, block] of content.filter(isObject).entries()) yield* blockEvents(block, index);
  yield { type: 'message_stop' };
}

/** A stream that its server calls JSON: each event is one line of data. */
function* eventsIn(events: RegExpExecArray[], response: Response): Generator<Anthropic.RawMessageStreamEvent> {
  for (const [, data = ''] of events) {
    const event = JSON.parse(data) as JsonObject; // the API's events are objects
    const { error } = event;
    if (isObject(error)) throw errorOf(event, error, response);
    yield event as unknown as Anthropic.RawMessageStreamEvent; // looked at as in a stream
  }
}

function* blockEvents(block: JsonObject, index: number): Generator<Anthropic.RawMessageStreamEvent> {
  const isText = block['type'] === 'text';
  const begun = (isText ? { ...block, text: '' } : block) as unknown as Anthropic.ContentBlock; // the API speaks JSON
  yield { type: 'content_block_start', index, content_block: begun };
  if (isText) yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text: wordIn(block['text']) } };
}

/** As the SDK makes it of an error in a stream. */
function errorOf(body: JsonObject, { type }: JsonObject, { headers }: Response): APIError {
  return new APIError(undefined, body, undefined, headers, wordIn(type) as APIError['type']); // or a word of others
}
