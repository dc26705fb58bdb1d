import type { IncomingMessage, ServerResponse } from 'node:http';
import { TOOL_HEADER } from '../../plan/tools/tool-request.js';
import { isObject } from '../../plan/values/json.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import type { Reader } from './readable-payload.js';
import { readable, sealed } from './readable-payload.js';

const REQUEST_BYTES = 8 * 1024 * 1024;

/** What an endpoint serves, and to whom. */
export interface Endpoint {
  reader: () => Reader;
  /** Pages in a browser that may ask, by their origin. */
  origins: () => readonly string[];
  /** Tells by its headers and path whether a request may be answered, and which of the two questions it is. */
  question: (request: IncomingMessage) => string | null | Promise<string | null>;
}

/**
 * Answers one request of Temporal's UI or command line: `/decode` gives payloads as people can read them, `/encode`
 * encrypts them where there are keys. Without an origin it is no page in a browser, and `question` says whether it may
 * ask; with one it must be a named one's. No tool is answered.
 */
export async function answerCodec(
  request: IncomingMessage,
  response: ServerResponse,
  { reader, origins, question }: Endpoint,
): Promise<void> {
  const { origin, [TOOL_HEADER]: tool } = request.headers;
  if (tool !== undefined) return end(response, 403);
  if (origin !== undefined && !origins().includes(origin)) return end(response, 403);
  if (origin !== undefined) allowOrigin(response, origin);
  const asked = await question(request);
  // Before it has the token: a browser asks whether it may bring one.
  if (request.method === 'OPTIONS') return end(response, 204);
  if (asked === null) return end(response, 403);
  if (request.method !== 'POST') return end(response, 405);
  if (asked !== '/decode' && asked !== '/encode') return end(response, 404);
  const body = await readBody(request);
  if (body === null) return end(response, 413);
  const payloads = payloadsIn(body);
  if (payloads === null) return end(response, 400);
  const { store, keys } = reader();
  const answered = await Promise.all(
    payloads.map((payload) => (asked === '/decode' ? readable(payload, { store, keys }) : sealed(payload, keys))),
  );
  return end(response, 200, JSON.stringify({ payloads: answered }));
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Vary', 'Origin');
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  response.setHeader('Access-Control-Allow-Headers', 'content-type, x-namespace, authorization');
}

function end(response: ServerResponse, status: number, body?: string): void {
  response
    .writeHead(status, body === undefined ? {} : { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(body);
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    // A request without an encoding set yields buffers.
    const buffer = chunk as Buffer;
    bytes += buffer.length;
    if (bytes > REQUEST_BYTES) return null;
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function payloadsIn(body: string): JsonObject[] | null {
  const parsed = parse(body);
  if (!isObject(parsed) || !Array.isArray(parsed['payloads'])) return null;
  return parsed['payloads'].every(isObject) ? parsed['payloads'] : null;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON.parse yields nothing else
  } catch {
    return undefined;
  }
}
