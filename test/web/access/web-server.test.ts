// @seconds 10
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { createWebServer } from '../../../src/web/access/web-server.js';
import type { Reach } from '../../../src/web/access/reach.js';

it('ends while somebody holds half a request, and answers before what is whole', async () => {
  let answer = (): void => undefined;
  let begun = (): void => undefined;
  const isBegun = new Promise<void>((resolve) => (begun = resolve));
  const reach = { tls: null, listen: '127.0.0.1', port: 0 } as Reach; // what a server looks at
  const server = createWebServer(reach, async (request) => {
    await request.text();
    begun();
    await new Promise<void>((resolve) => (answer = resolve));
    return new Response('taken');
  });
  await server.open();
  const half = connect(server.port(), '127.0.0.1');
  const cut = new Promise((resolve) => half.once('close', resolve).on('error', () => undefined));
  half.write('POST /hooks/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\nabc');
  const whole = fetch(`http://127.0.0.1:${server.port()}/hooks/x`, { method: 'POST', body: 'all of it' });
  await isBegun;
  const closed = server.close('finish');
  setTimeout(() => answer(), 6_000);
  expect(await (await whole).text()).toBe('taken');
  await Promise.all([cut, closed]);
});
