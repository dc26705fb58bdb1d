import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { readAll } from '../../../src/activities/models/http/http.js';
import { post } from '../../../src/activities/models/http/post.js';

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
