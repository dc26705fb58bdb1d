import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { TOOL_HEADER } from '../../../src/plan/tools/tool-request.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { shortHash } from '../../../src/plan/packing/short-hash.js';
import { shortenText } from '../../../src/plan/packing/lz-text.js';
import { serveCodec } from '../../../src/workers/server/codec-server.js';
import type { CodecServer } from '../../../src/workers/server/codec-server.js';

const REF: Hash = `sha256:${'a'.repeat(64)}`;
const GONE: Hash = `sha256:${'b'.repeat(64)}`;
const LONG: Hash = `sha256:${'c'.repeat(64)}`;
const VALUE = 'x'.repeat(500_000);
const store = {
  get: (ref: Hash): Promise<Json> =>
    ref === LONG
      ? Promise.resolve(VALUE)
      : ref === REF
        ? Promise.resolve(['all', 'of', 'it'])
        : Promise.reject(new Error('The stored value is missing')),
};
const UI = 'http://127.0.0.1:8233';

let codec: CodecServer;
afterEach(() => codec.close());

const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
const payload = (value: unknown, encoding = 'json/plain'): object => ({
  metadata: { encoding: base64(encoding) },
  data: base64(value),
});

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function ask({
  method = 'POST',
  path = '/decode',
  headers = { origin: UI },
  body = method === 'POST' ? '{"payloads":[]}' : '',
}: Asked): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  codec = await serveCodec(store, null);
  codec.allow(8233);
  return new Promise((resolve, reject) => {
    const asked = request({ port: codec.port, host: '127.0.0.1', method, path, headers }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => (text += piece))
        .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    // What is too large is refused before all of it is sent: the rest meets a closed connection, also when the answer
    // is here.
    asked.on('socket', (socket) => socket.on('error', () => {}));
    asked.on('error', reject).end(body);
  });
}

async function decoded(value: unknown, encoding?: string): Promise<unknown> {
  const { body } = await ask({ body: JSON.stringify({ payloads: [payload(value, encoding)] }) });
  const { payloads } = JSON.parse(body) as { payloads: { data: string }[] };
  return JSON.parse(Buffer.from(payloads[0]?.data ?? '', 'base64').toString());
}

describe('the codec endpoint', () => {
  it.each<[string, unknown, unknown]>([
    ['a stored value', { ref: REF, bytes: 16, preview: 'al…' }, { ref: REF, bytes: 16, value: ['all', 'of', 'it'] }],
    [
      'one inside lists and objects',
      { steps: [{ output: { ref: REF, bytes: 16, length: 3 } }] },
      { steps: [{ output: { ref: REF, bytes: 16, length: 3, value: ['all', 'of', 'it'] } }] },
    ],
    [
      'one as it stands in history',
      { output: [shortHash(REF), 16] },
      { output: { ref: REF, bytes: 16, value: ['all', 'of', 'it'] } },
    ],
    [
      'one with a preview there',
      [[shortHash(REF), 16, { preview: 'al…' }]],
      [{ ref: REF, bytes: 16, value: ['all', 'of', 'it'] }],
    ],
    [
      'a Plan',
      {
        plan: {
          planVersion: 1,
          name: 'x',
          hash: REF,
          short: shortenText("{'steps':[{'kind':'set','id':'a'},{'kind':'set','id':'b'}],'nested':{}}"),
        },
      },
      {
        plan: {
          steps: [
            { kind: 'set', id: 'a' },
            { kind: 'set', id: 'b' },
          ],
          nested: {},
        },
      },
    ],
    ['a stored text of a Plan', { text: REF, bytes: 16 }, { text: REF, bytes: 16, value: ['all', 'of', 'it'] }],
  ])('shows %s in full', async (_, value, expected) => {
    expect(await decoded(value)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['other JSON', { a: [1, 'two', null] }],
    ['a value that is too big to show', { ref: REF, bytes: 2_000_000, preview: 'al…' }],
    ['a Plan that is none', { planVersion: 1, name: 'x', short: '~~~' }],
    [
      'what only looks like a stored value in history',
      [
        ['a'.repeat(42), 3],
        ['a'.repeat(43), 'three'],
        ['a'.repeat(43), 3, 4, 5],
      ],
    ],
    ['what only looks like a reference', { ref: 'sha256:123', bytes: 3 }],
  ])('leaves %s as it is', async (_, value) => {
    expect(await decoded(value)).toEqual(value);
  });

  it('says when a stored value is missing', async () => {
    expect(await decoded({ ref: GONE, bytes: 5, preview: 'x' })).toEqual({
      ref: GONE,
      bytes: 5,
      preview: 'x',
      missing: 'The stored value is missing',
    });
  });

  it('shows at most 1 MiB in one payload', async () => {
    const named = { ref: REF, bytes: 600_000 };
    expect(await decoded([named, named])).toEqual([{ ...named, value: ['all', 'of', 'it'] }, named]);
  });

  it.each([
    ['a size that is none', 0],
    ['a size below nothing', -1e9],
  ])('counts what values are, whatever their names say: %s', async (_, bytes) => {
    const named = { ref: LONG, bytes };
    const shown = await decoded(Array.from({ length: 9 }, () => named));
    expect(shown).toEqual([...Array.from({ length: 2 }, () => ({ ...named, value: VALUE })), ...Array(7).fill(named)]);
    const line = `What it shows is ${LONG} (0 bytes)`;
    const { currentDetails: details } = (await decoded({ currentDetails: Array(9).fill(line).join('\n') })) as {
      currentDetails: string;
    };
    expect(details.split('\n').map((one) => one.trim().length)).toEqual([
      ...Array<number>(2).fill(VALUE.length),
      ...Array<number>(7).fill(line.length),
    ]);
  });

  it('leaves payloads of other encodings as they are', async () => {
    expect(await decoded({ ref: REF, bytes: 16 }, 'binary/plain')).toEqual({ ref: REF, bytes: 16 });
  });

  it.each<[string, Asked, number]>([
    ['our own UI', { headers: { origin: UI } }, 200],
    ['our own UI by its other name', { headers: { origin: 'http://localhost:8233' } }, 200],
    ['a program that is no page of the UI', { headers: {} }, 403],
    ['a tool of an agent', { headers: { origin: UI, [TOOL_HEADER]: '1' } }, 403],
    ['a preflight of our UI', { method: 'OPTIONS', headers: { origin: UI } }, 204],
    ['a page from elsewhere', { headers: { origin: 'http://evil.example' } }, 403],
    ['a page without a name', { headers: { origin: 'null' } }, 403],
    ['another port of this machine', { headers: { origin: 'http://127.0.0.1:9999' } }, 403],
    ['a name that was rebound to loopback', { headers: { origin: UI, host: 'evil.example' } }, 403],
    ['a preflight from elsewhere', { method: 'OPTIONS', headers: { origin: 'http://evil.example' } }, 403],
    ['a GET', { method: 'GET' }, 405],
    ['another path', { path: '/etc/passwd' }, 404],
    ['a body that is no JSON', { body: 'hello' }, 400],
    ['JSON without payloads', { body: '{"a":1}' }, 400],
    ['a body that is too big', { body: 'x'.repeat(9 * 1024 * 1024) }, 413],
  ])('answers %s with the right status', async (_, asked, status) => {
    // A server may refuse a body before it has all of it; then the client sees the connection end.
    const tooBig: Awaited<ReturnType<typeof ask>> = { status: 413, headers: {}, body: '' };
    const answer = await ask(asked).catch((error: unknown) =>
      /ECONNRESET|EPIPE/.test(String(error)) ? tooBig : Promise.reject(new Error(String(error))),
    );
    expect(answer.status).toBe(status);
    const { origin, [TOOL_HEADER]: tool }: Record<string, string | undefined> = asked.headers ?? { origin: UI };
    const isUi = origin === UI || origin === 'http://localhost:8233';
    const isAnswered = answer !== tooBig && isUi && tool === undefined;
    expect(answer.headers['access-control-allow-origin']).toBe(isAnswered ? origin : undefined);
  });

  it('gives back what it is asked to encode', async () => {
    const body = JSON.stringify({ payloads: [payload('x')] });
    expect((await ask({ path: '/encode', body })).body).toBe(body);
  });

  it('takes another port when the wanted one is taken', async () => {
    const first = await serveCodec(store, null);
    codec = await serveCodec(store, first.port);
    expect(codec.port).not.toBe(first.port);
    await first.close();
  });
});
