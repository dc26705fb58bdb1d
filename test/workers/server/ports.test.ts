import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { claimFreePort, claimPort, isFree } from '../../../src/workers/server/ports.js';

it('a port that is held is given to nobody else until it is released', async () => {
  const held = await claimFreePort(null);
  expect(await claimPort(held.port)).toBeNull();
  const other = await claimFreePort(held.port);
  expect(other.port).not.toBe(held.port);
  // It is held for a server: that can listen there.
  expect(await isFree(held.port)).toBe(true);
  held.release();
  const again = await claimFreePort(held.port);
  expect(again.port).toBe(held.port);
  for (const claim of [other, again]) claim.release();
});

it('a port at which somebody listens is not chosen, and can be held for who listens there', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const chosen = await claimFreePort(port);
  expect(chosen.port).not.toBe(port);
  const held = await claimPort(port);
  expect(held?.port).toBe(port);
  for (const claim of [chosen, held]) claim?.release();
  server.close();
});
