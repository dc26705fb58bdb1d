import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { WebAnswer } from '../../src/activities/tools/web/fetch.js';
import { fetchWeb, redirected } from '../../src/activities/tools/web/fetch.js';
import { searchRequest } from '../../src/activities/tools/web/search-at.js';
import type { Permissions } from '../../src/plan/tools/permission.js';
import type { Tool } from '../../src/plan/tools/tool.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';
import { NO_PERMISSIONS } from '../plan/helpers/build-plan.js';

const resolved = vi.hoisted(() => new Map<string, string[][]>());
/** Names of `.test` have the addresses that a test says, others at each asking. */
vi.mock('node:dns', () => ({
  lookup: (
    name: string,
    _options: object,
    callback: (error: null, addresses: { address: string; family: number }[]) => void,
  ) => {
    callback(
      null,
      (resolved.get(name)?.shift() ?? []).map((address) => ({ address, family: 4 })),
    );
  },
}));

const MEBIBYTE = 1024 * 1024;
const BOMB = gzipSync(Buffer.alloc(20 * MEBIBYTE), { level: 9 });
const asked: { path: string; authorization: string | undefined }[] = [];
let hops = 0;
let port: number;
let other: number;

const answers = createServer((request, response) => {
  asked.push({ path: request.url ?? '', authorization: request.headers.authorization });
  switch (request.url) {
    case '/bomb':
      return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB);
    case '/endless': {
      const more = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(64 * 1024, 'x'), () => setImmediate(more));
      };
      return more();
    }
    case '/slow':
      return void response.writeHead(200).write('one byte');
    case '/slow-packed':
      return void response.writeHead(200, { 'content-encoding': 'gzip' }).write(BOMB.subarray(0, 20));
    case '/cut-packed':
      return void response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-length': '1000' })
        .write(BOMB.subarray(0, 20), () => response.destroy());
    case '/round':
      hops += 1;
      return void response.writeHead(302, { location: '/round' }).end();
    case '/elsewhere':
      return void response.writeHead(302, { location: `http://127.0.0.1:${other}/whose` }).end();
    case '/self':
      return void response.writeHead(302, { location: '/' }).end();
    case '/other-name':
      return void response.writeHead(302, { location: `http://other.test:${port}/` }).end();
    case '/other-port':
      return void response.writeHead(302, { location: `http://search.test:${other}/` }).end();
    default:
      return void response.end('here');
  }
});
const elsewhere = createServer(({ headers }, response) =>
  response.end(
    JSON.stringify({ authorization: headers.authorization, token: headers['x-token'], accept: headers.accept }),
  ),
);

beforeAll(async () => {
  for (const server of [answers, elsewhere])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  // they listen on ports
  [port, other] = [answers, elsewhere].map((server) => (server.address() as AddressInfo).port) as [number, number];
});
afterAll(() =>
  [answers, elsewhere].forEach((server) => {
    server.close();
    server.closeAllConnections();
  }),
);

const permissions = (network: Permissions['network']): Permissions => ({
  ...NO_PERMISSIONS,
  network,
  asking: 'deny',
});

function get(
  path: string,
  signal = new AbortController().signal,
  headers: Record<string, string> = {},
): Promise<WebAnswer> {
  return fetchWeb(
    { method: 'GET', url: `http://127.0.0.1:${port}${path}`, headers, body: null },
    permissions([`127.0.0.1:${port}`, `127.0.0.1:${other}`]),
    signal,
  );
}

describe('an answer from the web', () => {
  it.each(['/bomb', '/endless'])('of any length is read up to its bound: %s', async (path) => {
    const { body, truncated } = await get(path);
    expect({ bytes: body.length, truncated }).toEqual({ bytes: 5 * MEBIBYTE, truncated: true });
  });

  it.each(['/slow', '/slow-packed'])('that does not come ends with its time: %s', async (path) => {
    const before = asked.length;
    const time = new AbortController();
    const answer = get(path, time.signal);
    await expect.poll(() => asked.length).toBeGreaterThan(before);
    time.abort();
    await expect(answer).rejects.toThrow(/abort/i);
  });

  it('that is cut off inside what is packed is refused', async () => {
    await expect(get('/cut-packed')).rejects.toThrow('The answer ended before it was whole');
  });

  it('that redirects for ever is given up', async () => {
    await expect(get('/round')).rejects.toThrow('redirects more than 5 times');
    expect(hops).toBe(6);
  });

  it('from another origin never sees whose the request was', async () => {
    expect(JSON.parse((await get('/elsewhere', undefined, { Authorization: 'Bearer canary' })).body)).toEqual({
      accept: '*/*',
    });
    expect(asked.at(-1)).toEqual({ path: '/elsewhere', authorization: 'Bearer canary' });
  });

  it('never sees headers that are said to be whose the request was, but others', async () => {
    const url = `http://127.0.0.1:${port}/elsewhere`;
    const { body } = await fetchWeb(
      { method: 'GET', url, headers: { 'X-Token': 'canary', accept: 'text/plain' }, body: null, own: ['x-token'] },
      permissions([`127.0.0.1:${port}`, `127.0.0.1:${other}`]),
      new AbortController().signal,
    );
    expect(JSON.parse(body)).toEqual({ accept: 'text/plain' });
  });

  it.each([
    ['http://search.test/q', []],
    ['https://search.test:8443/q', []],
    ['https://search.test/r', ['X-Subscription-Token']],
  ])('of a search is told apart by scheme and port too: %s', (to, kept) => {
    const from = 'https://search.test/q';
    const { url, headers } = redirected(
      searchRequest(from, { 'X-Subscription-Token': 'canary' }),
      new URL(from),
      to,
      302,
    );
    expect([url, Object.keys(headers)]).toEqual([to, ['accept', ...kept]]);
  });
});

describe('a name whose address a person wrote down', () => {
  const named = (url: string) =>
    fetchWeb(
      { method: 'GET', url, headers: {}, body: null },
      permissions(['search.test', 'other.test']),
      new AbortController().signal,
      { named: true },
    );

  it('may be of this machine, also where its own origin redirects to itself', async () => {
    resolved.set('search.test', [['127.0.0.1'], ['127.0.0.1']]);
    expect((await named(`http://search.test:${port}/self`)).body).toBe('here');
  });

  it('is that of a search', async () => {
    resolved.set('search.test', [['127.0.0.1']]);
    const tool: Tool = {
      kind: 'builtin',
      name: 'web_search',
      search: { url: `http://search.test:${port}/?q=\${query}`, headers: {} },
    };
    expect(await callTool(tool, { query: 'x' }, await toolContext())).toEqual({ content: 'here', is_error: false });
  });

  it('leads to no other name or port of this machine', async () => {
    resolved.set('search.test', [['127.0.0.1'], ['127.0.0.1'], ['127.0.0.1']]);
    resolved.set('other.test', [['127.0.0.1']]);
    await expect(named(`http://search.test:${port}/other-name`)).rejects.toThrow('is not public');
    await expect(named(`http://search.test:${port}/other-port`)).rejects.toThrow('is not public');
  });
});

describe('a name that has another address at the second look', () => {
  it('is resolved once, and connected to at the address that was looked at', async () => {
    resolved.set('rebind.test', [['93.184.215.14'], ['127.0.0.1']]);
    const time = AbortSignal.timeout(1_000); // Nobody answers there from a machine without a network.
    const before = asked.length;
    await expect(
      fetchWeb({ method: 'GET', url: `http://rebind.test:${port}/`, headers: {}, body: null }, permissions(true), time),
    ).rejects.toThrow();
    expect(resolved.get('rebind.test')).toEqual([['127.0.0.1']]);
    expect(asked.length).toBe(before);
  });

  it('is refused where one of its addresses is private', async () => {
    resolved.set('both.test', [['93.184.215.14', '127.0.0.1']]);
    await expect(
      fetchWeb(
        { method: 'GET', url: `http://both.test:${port}/`, headers: {}, body: null },
        permissions(true),
        new AbortController().signal,
      ),
    ).rejects.toThrow('is not public');
  });
});
