import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { readAll, readLines } from '../../../src/activities/models/http/http.js';
import { post } from '../../../src/activities/models/http/post.js';
import { connectionFailure } from '../../../src/activities/models/model-failures.js';

/** What a server gets of a body. */
async function received(body: string): Promise<string> {
  const server = createServer((request, response) => void buffer(request).then((bytes) => response.end(bytes)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // as every server on TCP
  return await readAll((await post(`http://127.0.0.1:${String(port)}/v1`, { body, signal: null })).body);
}

it.each([
  ['the first half of a character', 'cut \ud83d', 'cut \ufffd'],
  ['the second half', '\ude00 left', '\ufffd left'],
  ['two that are none together', '\ude00\ud83d', '\ufffd\ufffd'],
  ['one after a backslash', '\\\ud83d', '\\\ufffd'],
  ['a whole character', '😀', '😀'],
  ['the text of an escape', '\\ud83d \\\\ude00', '\\ud83d \\\\ude00'],
])('a model is sent %s as a provider takes it', async (_, text, sent) => {
  expect(JSON.parse(await received(JSON.stringify({ text, [text]: 1 })))).toEqual({ text: sent, [sent]: 1 });
});

it.each<[string, (body: Readable) => Promise<unknown>]>([
  ['as a whole', readAll],
  [
    'line by line',
    async (body) => {
      for await (const line of readLines(body)) expect(line).toBe('');
    },
  ],
])('an answer that never ends is not gathered for ever where it is read %s', async (_how, read) => {
  let written = 0;
  const server = createServer((_request, response) => {
    const more = (): void => {
      written += 1;
      if (!response.destroyed && written < 200) response.write('x'.repeat(1 << 20), more);
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // as every server on TCP
  const url = `http://127.0.0.1:${String(port)}/v1`;
  const { body } = await post(url, { body: '{}', signal: null });
  const failure = await read(body).catch((error: unknown) => connectionFailure(url, error));
  // It is not asked again: it would be paid again, and be as long.
  expect(failure).toMatchObject({
    type: 'answer-truncated',
    nonRetryable: true,
    message: `The answer of \`${url}\` has more than 64 MiB: no more of it was read.`,
  });
});

it('an answer is cut into its lines wherever the pieces end in which it comes', async () => {
  const lines: string[] = [];
  for await (const line of readLines(Readable.from(['{"a"', ':1}\n\n{"b":', '2}\n{"c', '":3}']))) lines.push(line);
  expect(lines).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
});
