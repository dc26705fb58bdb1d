import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/plan/values/json.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { createKeyRing } from '../../../src/store/encryption/key-ring.js';
import { runCodecServer } from '../../../src/workers/codec/codec-server.js';

const TOKEN = 'a-token-of-enough-letters';
const UI = 'https://temporal.example';
const REF: Hash = `sha256:${'a'.repeat(64)}`;
const store = { get: (): Promise<Json> => Promise.resolve('all of it') };
const keys = createKeyRing([randomBytes(32)]);

let stop = new AbortController();
let ended: Promise<void> = Promise.resolve();
afterEach(async () => {
  stop.abort();
  await ended;
});

function serve(ring = keys): Promise<string> {
  stop = new AbortController();
  return new Promise((resolve, reject) => {
    ended = runCodecServer({
      reader: { store, keys: ring },
      host: '127.0.0.1',
      port: 0,
      origins: [UI],
      token: TOKEN,
      signal: stop.signal,
      onReady: resolve,
    });
    ended.catch(reject);
  });
}

const jsonPayload = (value: unknown): object => ({
  metadata: { encoding: Buffer.from('json/plain').toString('base64') },
  data: Buffer.from(JSON.stringify(value)).toString('base64'),
});

async function ask(url: string, payloads: unknown, headers: Record<string, string> = {}): Promise<unknown[]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ payloads }), headers });
  expect(response.status).toBe(200);
  return ((await response.json()) as { payloads: unknown[] }).payloads;
}

const valueIn = (payload: unknown): unknown =>
  JSON.parse(Buffer.from((payload as { data: string }).data, 'base64').toString());

describe('the codec server', () => {
  it('encrypts what it is given, and gives it back with the stored values that it names', async () => {
    const address = await serve();
    const authorization = { authorization: `Bearer ${TOKEN}` };
    const [sealed] = await ask(`${address}/encode`, [jsonPayload({ ref: REF, bytes: 9 })], authorization);
    expect(JSON.stringify(sealed)).not.toContain(Buffer.from('json/plain').toString('base64'));
    const [open] = await ask(`${address}/decode`, [sealed], authorization);
    expect(valueIn(open)).toEqual({ ref: REF, bytes: 9, value: 'all of it' });
  });

  it('takes the token as the first part of the path, which is all that the UI can send', async () => {
    const address = await serve();
    const [plain] = await ask(`${address}/${TOKEN}/decode`, [jsonPayload('as it was')]);
    expect(valueIn(plain)).toBe('as it was');
  });

  it('says of a payload whose key it lacks which one that is', async () => {
    const [sealed] = await ask(`${await serve()}/${TOKEN}/encode`, [jsonPayload('secret')]);
    stop.abort();
    await ended;
    const [answer] = await ask(`${await serve(createKeyRing([randomBytes(32)]))}/${TOKEN}/decode`, [sealed]);
    expect(valueIn(answer)).toEqual({ encrypted: expect.stringContaining(keys.ids[0]!) as string }); // it has one
  });

  it.each<[string, string, RequestInit, number]>([
    ['nobody without the token', '/decode', {}, 403],
    ['nobody with another token', '/decode', { headers: { authorization: `Bearer ${TOKEN}x` } }, 403],
    ['nobody with another token in the path', `/${TOKEN}x/decode`, {}, 403],
    ['no page of another origin', `/${TOKEN}/decode`, { headers: { origin: 'https://evil.example' } }, 403],
    ['a page of the named origin', `/${TOKEN}/decode`, { headers: { origin: UI } }, 200],
    [
      'the question of a browser before it sends the token',
      '/decode',
      { method: 'OPTIONS', headers: { origin: UI } },
      204,
    ],
    ['that question of no other page', '/decode', { method: 'OPTIONS', headers: { origin: 'null' } }, 403],
    ['no other method', `/${TOKEN}/decode`, { method: 'PUT' }, 405],
    ['no other path', `/${TOKEN}/other`, {}, 404],
    ['nothing that is no payloads', `/${TOKEN}/decode`, { body: '{"payloads":[1]}' }, 400],
    ['nothing above 8 MiB', `/${TOKEN}/decode`, { body: 'x'.repeat(8 * 1024 * 1024 + 1) }, 413],
  ])('serves %s', async (_, path, request, status) => {
    const address = await serve();
    const body = request.method === 'OPTIONS' ? null : '{"payloads":[]}';
    const response = await fetch(`${address}${path}`, { method: 'POST', body, ...request }).catch(() => null);
    // A request that is too large may be cut while it is still being sent.
    expect(response?.status ?? 413).toBe(status);
    if (status === 200) expect(response?.headers.get('access-control-allow-origin')).toBe(UI);
    if (status === 403) expect(response?.headers.get('access-control-allow-origin')).toBe(null);
  });
});
