import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { WebRefusal, fetchWeb } from '../../../../src/activities/tools/web/fetch.js';
import { permissionsFrom } from '../../../../src/compiler/agents/permissions.js';

/** A server that tells what it is asked for, and sends `/moved` to a signed address. */
async function startServer(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    if (url === '/moved') response.writeHead(302, { location: '/file?key=%7e%61%2f' });
    response.end(url);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens at a port
}

async function ask(host: string, path: string, deny: string[] = []): Promise<string> {
  const permissions = permissionsFrom([{ network: [host], deny }], false);
  const asked = { method: 'GET', url: `http://${host}${path}`, headers: {}, body: null };
  return (await fetchWeb(asked, permissions, AbortSignal.timeout(5_000))).body;
}

it.each([
  ['/file?key=%7e%61%2f', '/file?key=%7e%61%2f'],
  ['/moved', '/file?key=%7e%61%2f'],
  ['/%66ile?q=a b#part', '/file?q=a%20b'],
  ['/file?', '/file'],
])('of %s a server is asked for %s: a query that may be signed stays as written', async (path, told) => {
  expect(await ask(await startServer(), path)).toBe(told);
});

it('a query is denied in whatever escapes it is written', async () => {
  const host = await startServer();
  const denied = [`request:* http://${host}/file?key=a*`];
  await expect(ask(host, '/file?key=%61', denied)).rejects.toThrow(WebRefusal);
});
