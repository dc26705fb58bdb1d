import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isObject } from '../../plan/values/json.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { lengthenPlan } from '../../plan/packing/packed-plan.js';
import type { ShortStored } from '../../plan/packing/short-value.js';
import { isShortStored, longStored } from '../../plan/packing/short-value.js';
import type { Hash } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { codeOf } from '../errors.js';
import { LOOPBACK } from './ports.js';

const SHOWN_BYTES = 1024 * 1024;
const REQUEST_BYTES = 8 * 1024 * 1024;
const HASH = /^sha256:[0-9a-f]{64}$/;
/** What a payload that we can better has in it: a stored value by its whole or its short name, or a Plan. */
const OURS = /"sha256:|\["[\w-]{43}",|"short":/;

/** The HTTP endpoint that Temporal's Web UI asks to show payloads. */
export interface CodecServer {
  port: number;
  /** The UI's port, as soon as it is known: only its pages may ask. */
  allow: (uiPort: number) => void;
  close: () => Promise<void>;
}

/**
 * Serves `/decode` and `/encode` on loopback. A payload that names stored values comes back with the values
 * themselves, up to 1 MiB in one payload; everything else comes back as it is. A `wanted` port that is taken gives
 * another one. A Plan comes back as people can read it.
 */
export async function serveCodec(store: Pick<Store, 'get'>, wanted: number | null): Promise<CodecServer> {
  let origins: string[] = [];
  let port = 0;
  const server = createServer((request, response) => {
    void answer(request, response, { store, origins, port }).catch(() => response.destroy());
  });
  port = await listen(server, wanted);
  return {
    port,
    allow: (uiPort) => (origins = loopbackHosts(uiPort).map((host) => `http://${host}`)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Context {
  store: Pick<Store, 'get'>;
  origins: string[];
  port: number;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { store, origins, port }: Context,
): Promise<void> {
  // A foreign name that resolves to loopback (DNS rebinding) shows itself in the Host header.
  if (!loopbackHosts(port).includes(request.headers.host ?? '')) return end(response, 403);
  const { origin } = request.headers;
  // Without an Origin it is no page in a browser; with one it must be our UI's.
  if (origin !== undefined && !origins.includes(origin)) return end(response, 403);
  if (origin !== undefined) allowOrigin(response, origin);
  if (request.method === 'OPTIONS') return end(response, 204);
  if (request.method !== 'POST') return end(response, 405);
  if (request.url !== '/decode' && request.url !== '/encode') return end(response, 404);
  const body = await readBody(request);
  if (body === null) return end(response, 413);
  if (request.url === '/encode') return end(response, 200, body);
  const payloads = payloadsIn(body);
  if (payloads === null) return end(response, 400);
  const decoded = await Promise.all(payloads.map((payload) => decode(payload, store)));
  return end(response, 200, JSON.stringify({ payloads: decoded }));
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

/** A Temporal payload in its JSON form: metadata and data are base64. One that we cannot better stays as it is. */
async function decode(payload: JsonObject, store: Context['store']): Promise<JsonObject> {
  const { metadata, data } = payload;
  if (!isObject(metadata) || typeof data !== 'string' || fromBase64(metadata['encoding']) !== 'json/plain')
    return payload;
  const text = fromBase64(data);
  if (!OURS.test(text)) return payload;
  const value = parse(text);
  if (value === undefined) return payload;
  const shown = await show(value, { store, left: SHOWN_BYTES });
  return { ...payload, data: Buffer.from(JSON.stringify(shown)).toString('base64') };
}

/** Shows a JSON value with every stored value it names beside its name, as long as there is room. */
async function show(value: Json, budget: { store: Context['store']; left: number }): Promise<Json> {
  if (isShortStored(value)) return show(inNamed(value), budget);
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) items.push(await show(item, budget));
    return items;
  }
  if (!isObject(value)) return value;
  if (typeof value['planVersion'] === 'number' && typeof value['short'] === 'string')
    return readable(value['short']) ?? value;
  const hash = storedName(value);
  if (hash !== null) return showStored(value, hash, budget);
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) members.push([key, await show(member, budget)]);
  return Object.fromEntries(members);
}

/** What `shortStored` shortened, with its members named. */
function inNamed(value: Json): JsonObject {
  return { ...longStored(value as ShortStored) }; // isShortStored said so
}

function readable(short: string): Json | null {
  try {
    return lengthenPlan({ short }) as unknown as Json; // parsed from JSON
  } catch {
    return null;
  }
}

async function showStored(
  named: JsonObject,
  hash: Hash,
  budget: { store: Context['store']; left: number },
): Promise<Json> {
  const bytes = Number(named['bytes']);
  if (bytes > budget.left) return named;
  budget.left -= bytes;
  const { preview: _, ...name } = named;
  try {
    return { ...name, value: await budget.store.get(hash) };
  } catch (error) {
    return { ...named, missing: error instanceof Error ? error.message : String(error) };
  }
}

/** A `StoredValue` has its hash under `ref`, a `Text` of a Plan under `text`; both have `bytes`. */
function storedName(value: JsonObject): Hash | null {
  const hash = value['ref'] ?? value['text'];
  const isName = typeof value['bytes'] === 'number' && typeof hash === 'string' && HASH.test(hash);
  return isName ? (hash as Hash) : null; // the pattern has just been checked
}

function fromBase64(text: Json | undefined): string {
  return typeof text === 'string' ? Buffer.from(text, 'base64').toString('utf8') : '';
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON.parse yields nothing else
  } catch {
    return undefined;
  }
}

function loopbackHosts(port: number): string[] {
  return [`${LOOPBACK}:${String(port)}`, `localhost:${String(port)}`];
}

function listen(server: Server, wanted: number | null): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE' && wanted !== null) server.listen(0, LOOPBACK);
      else reject(error);
    });
    server.once('listening', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
    server.listen(wanted ?? 0, LOOPBACK);
  });
}
