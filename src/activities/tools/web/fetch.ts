import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Permissions } from '../../../plan/tools/permission.js';
import { NAMES_PORT, allowsHost, judgeAction, reachedAt } from '../../../plan/tools/permission.js';
import { TOOL_HEADER } from '../../../plan/tools/tool-request.js';
import { isOutside, isThisMachine } from './address.js';
import { plainAddress } from '../../../plan/tools/plain-address.js';

/** Of an answer, as it comes and unpacked. */
const MOST_BYTES = 5 * 1024 * 1024;
const MOST_HOPS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that say whose a request is: no other host gets them. */
const OWN_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key']);
/** Set by us: what a caller could use to send a second request inside the first, or to reach another host. */
const FIXED_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'keep-alive',
  TOOL_HEADER,
]);

export interface WebRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  /** Names of headers that hold a secret of ours: no other origin gets them. */
  own?: string[];
}

/** What a person has said of a request beside the permissions. */
export interface WebTrust {
  /** A person was asked about this very request, and allowed it. */
  allowed?: boolean;
  /** A person wrote its address into the config: its name may be of a private address. */
  named?: boolean;
}

export interface WebAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body was longer than what is read. */
  truncated: boolean;
}

/** Why a request is not made, or what became of it: a sentence for the model. */
export class WebRefusal extends Error {}

/**
 * Makes one HTTP request, and follows at most five redirects. Each hop is judged like the first, and the address that
 * is connected to is the one that was looked at: a name is resolved once. Private addresses are refused, unless the
 * permissions name just this address (of this machine, `localhost` too, with its port), or a person `allowed` this very
 * request: that holds for the first hop. What is `named` holds for its origin: no redirect leads from there to another
 * private name.
 */
export async function fetchWeb(
  asked: WebRequest,
  permissions: Permissions,
  signal: AbortSignal,
  { allowed = false, named = false }: WebTrust = {},
): Promise<WebAnswer> {
  let current = asked;
  for (let hop = 0; ; hop += 1) {
    const within = allowed && hop === 0 ? openTo(current.url, permissions) : permissions;
    const url = checked(current, within);
    const isNamed = (named && url.origin === plainAddress(asked.url)?.origin) || namesAddress(within, url);
    const answer = await once(url, current, isNamed, signal);
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
    if (hop === MOST_HOPS) throw new WebRefusal(`The address redirects more than ${MOST_HOPS} times.`);
    current = redirected(current, url, location, answer.status);
  }
}

/** Permissions that allow requests to one host, whatever else they say. */
function openTo(url: string, permissions: Permissions): Permissions {
  const host = reachedAt(plainAddress(url)?.href ?? '');
  return { ...permissions, deny: [], within: [], network: host === null ? false : [host] };
}

/** Whoever was to be asked has been, about the call: nobody is asked about a hop. */
function unasked(permissions: Permissions): Permissions {
  return {
    ...permissions,
    ask: [],
    ...(permissions.within === undefined ? {} : { within: permissions.within.map(unasked) }),
  };
}

/** The address to ask for: that which is judged, with its query as written, which some servers have signed. */
function checked({ method, url, headers }: WebRequest, permissions: Permissions): URL {
  const parsed = plainAddress(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw new WebRefusal('Expected an http or https address.');
  if (parsed.username !== '' || parsed.password !== '')
    throw new WebRefusal('An address holds no user and no password.');
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name) || FIXED_HEADERS.has(name.toLowerCase()))
      throw new WebRefusal(`\`${name.slice(0, 40)}\` is no header that may be set.`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new WebRefusal(`The header \`${name}\` has characters that headers do not have.`);
  }
  const verdict = judgeAction(unasked(permissions), { kind: 'request', method, url: parsed.href });
  if (verdict.verdict !== 'allow') throw new WebRefusal(verdict.reason);
  parsed.search = new URL(url).search;
  return parsed;
}

/** The request that a redirect leads to; another origin gets no header that says whose it is, and no body. */
export function redirected(asked: WebRequest, from: URL, location: string, status: number): WebRequest {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
  if (to === null) throw new WebRefusal('The address redirects to something that is no address.');
  const keeps = status === 307 || status === 308 || asked.method === 'GET' || asked.method === 'HEAD';
  const own = new Set([...OWN_HEADERS, ...(asked.own ?? []).map((name) => name.toLowerCase())]);
  const headers = Object.fromEntries(
    Object.entries(asked.headers).filter(([name]) => to.origin === from.origin || !own.has(name.toLowerCase())),
  );
  return {
    ...asked,
    url: to.href,
    headers,
    ...(keeps
      ? { method: asked.method, body: to.origin === from.origin ? asked.body : null }
      : { method: 'GET', body: null }),
  };
}

/**
 * A person who wrote down an address that is not public means it; what a name resolves to is anybody's. Of this machine
 * one port is meant: at others there may be whatever people here decide and keep.
 */
function namesAddress({ network }: Permissions, url: URL): boolean {
  const host = hostOf(url);
  if (!Array.isArray(network) || (isIP(host) === 0 && host !== 'localhost')) return false;
  const isHere = host === 'localhost' || isThisMachine(host);
  const meant = isHere ? network.filter((entry) => NAMES_PORT.test(entry)) : network;
  return allowsHost(meant, reachedAt(url.href) ?? '');
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

async function once(
  url: URL,
  { method, headers, body }: WebRequest,
  isNamed: boolean,
  signal: AbortSignal,
): Promise<WebAnswer> {
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isNamed && !isOutside(host)) throw notPublic(host);
  const options: RequestOptions = {
    method,
    headers: {
      'user-agent': 'perdure',
      accept: '*/*',
      ...headers,
      [TOOL_HEADER]: '1',
      'accept-encoding': 'identity',
      ...(body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    },
    lookup: guardedLookup(isNamed),
    signal,
    agent: false,
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, resolve);
    request.on('error', (error: Error) =>
      reject(
        signal.aborted || error instanceof WebRefusal
          ? error
          : new WebRefusal(`\`${url.host}\` cannot be reached: ${error.message}.`),
      ),
    );
    request.end(body ?? undefined);
  });
  const read = await readBody(response, signal);
  return { status: response.statusCode ?? 0, headers: textHeaders(response), ...read };
}

/** Resolves a name once, and gives only addresses that may be connected to. */
function guardedLookup(isNamed: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const refused = isNamed ? undefined : addresses.find(({ address }) => !isOutside(address));
      const [first] = addresses;
      if (refused !== undefined || first === undefined) return callback(notPublic(hostname), '', 0);
      if (options.all === true) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

function notPublic(host: string): WebRefusal {
  return new WebRefusal(
    `The address of \`${host}\` is not public: tools reach this machine and its neighbours only where \`network\` of ` +
      'the permissions names the address, that of this machine with its port (`localhost:8080`).',
  );
}

async function readBody(
  response: IncomingMessage,
  signal: AbortSignal,
): Promise<Pick<WebAnswer, 'body' | 'truncated'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let truncated = false;
  const stream = unpacked(response);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      chunks.push(chunk.subarray(0, MOST_BYTES - bytes));
      bytes += chunk.length;
      if (bytes > MOST_BYTES) {
        truncated = true;
        break;
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new WebRefusal(
      `The answer ended before it was whole: ${error instanceof Error ? error.message : 'unknown error'}.`,
    );
  } finally {
    response.destroy();
  }
  return { body: Buffer.concat(chunks).toString('utf8'), truncated };
}

/** It was asked not to be packed; what is all the same is unpacked as it comes, up to the same bound. */
function unpacked(response: IncomingMessage): Readable {
  switch (response.headers['content-encoding']) {
    case 'gzip':
      return unpack(response, createGunzip());
    case 'deflate':
      return unpack(response, createInflate());
    case 'br':
      return unpack(response, createBrotliDecompress());
    default:
      return response;
  }
}

/** Unlike `pipe` it passes on that an answer has ended early: who reads would wait for ever. */
function unpack(response: IncomingMessage, unpacker: Transform): Readable {
  return pipeline(response, unpacker, () => undefined); // The reader is told.
}

function textHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
