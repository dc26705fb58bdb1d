import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { postOtlp } from '../../../src/workers/telemetry/post-otlp.js';

it.each([
  ['7', 7_000],
  ['99999999', 86_400_000],
  ['Infinity', 86_400_000],
  ['-5', null],
  ['Fri, 27 Nov 2026 05:00:00 GMT', null],
])('is told by a receiver that refuses when to come back, a day later at most: %s', async (after, afterMs) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(429, { 'retry-after': after }).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo; // it listens at a port
    const target = {
      ...{ url: new URL(`http://127.0.0.1:${port}/v1/traces`), protocol: 'http/json' as const, headers: {} },
      ...{ timeoutMs: 10_000, gzip: false, certificate: null },
    };
    const posted = await postOtlp(target, 'traces', { resourceSpans: [] }, new AbortController().signal);
    expect(posted).toEqual({ kind: 'refused', why: 'status 429', afterMs });
  } finally {
    server.close();
  }
});
