import type { IncomingMessage } from 'node:http';
import type { ClientOptions } from '@anthropic-ai/sdk';
import { readAll, request } from './http.js';

/**
 * `fetch` on Node's own client, for an SDK that reads a streamed body as it comes: a call takes the worker's thread two thirds of what it
 * does with Node's `fetch` and its web streams. Nor does this one give up after five minutes without a word, as that does.
 */
export const leanFetch: NonNullable<ClientOptions['fetch']> = async (input, init = {}) => {
  const { body, signal, method } = init;
  if (typeof input !== 'string' || typeof body !== 'string' || method !== 'POST') return fetch(input, init);
  const headers = Object.fromEntries(init.headers instanceof Headers ? init.headers : new Headers(init.headers));
  const response = await request(input, { body, headers, signal: signal ?? new AbortController().signal });
  const { statusCode: status = 0 } = response;
  // Rare, and not worth rules of our own.
  if (status >= 300 && status < 400) {
    response.destroy();
    return fetch(input, init);
  }
  const head = { status, headers: headersOf(response) };
  if (status !== 200) return new Response(await readAll(response), head);
  // The SDK asks a streamed body for its pieces, which Node's stream has too; nothing else of it is used.
  return Object.defineProperty(new Response(null, head), 'body', { value: response });
};

function headersOf({ headersDistinct }: IncomingMessage): [string, string][] {
  return Object.entries(headersDistinct).flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]));
}
