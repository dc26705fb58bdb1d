import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';

/** What is read of an answer: more than the longest of a model has, streamed token by token. */
export const BODY_BYTES = 64 * 1024 * 1024;

/**
 * Sends a request and gives the response when its head is there, for all that is asked but models (`post.ts`): Node's
 * own client needs no stream of the web's. With a body it is a POST of JSON. On abort the socket is closed.
 */
export function request(
  url: string,
  { body, headers: given = {}, signal }: { body?: string; headers?: Record<string, string>; signal: AbortSignal },
): Promise<IncomingMessage> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const headers = body === undefined ? given : { ...given, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = send(url, { method: body === undefined ? 'GET' : 'POST', headers, signal }, resolve);
    sent.once('error', reject);
    sent.end(body);
  });
}

/** The lines of a body as they come; empty ones are left out. */
export async function* readLines(body: Readable): AsyncGenerator<string> {
  body.setEncoding('utf8');
  let parts: string[] = []; // joined once: a line may come in many
  for await (const chunk of body) {
    const [first = '', ...others] = String(chunk).split('\n');
    parts.push(first);
    for (const next of others) {
      const line = parts.join('');
      parts = [next];
      if (line.trim() !== '') yield line;
    }
  }
  const rest = parts.join('');
  if (rest.trim() !== '') yield rest;
}

/** A whole body as text; one of more than `BODY_BYTES` is an error. */
export async function readAll(body: Readable): Promise<string> {
  let text = '';
  body.setEncoding('utf8');
  for await (const chunk of body) {
    text += String(chunk);
    if (text.length > BODY_BYTES) throw new Error(`the answer has more than ${BODY_BYTES / 1024 / 1024} MiB`);
  }
  return text;
}
