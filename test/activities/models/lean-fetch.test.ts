import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic, { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { leanFetch } from '../../../src/activities/models/http/fetch.js';

/** A server on loopback, and the client of a worker for it. */
async function serve(listener: RequestListener): Promise<{ url: string; client: Anthropic }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server on TCP has such an address.
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url,
    client: new Anthropic({ apiKey: 'test', baseURL: url, fetch: leanFetch, maxRetries: 0, logLevel: 'off' }),
  };
}

const event = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const delta = (text: string): string => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });

async function textOf(
  client: Anthropic,
  signal?: AbortSignal,
  onText: (text: string) => void = () => undefined,
): Promise<string> {
  const events = await client.messages.create(
    { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'ü' }], stream: true },
    { signal },
  );
  let text = '';
  for await (const piece of events) {
    if (piece.type !== 'content_block_delta' || piece.delta.type !== 'text_delta') continue;
    text += piece.delta.text;
    onText(text);
  }
  return text;
}

describe('a streamed answer without web streams', () => {
  it('is read as it comes, whole characters of it', async () => {
    let told = (): void => undefined;
    const { client } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('one '));
      const rest = Buffer.from(delta('zwölf'));
      // The second piece is sent once the first one was read, and is cut inside of a character.
      told = () => {
        response.write(rest.subarray(0, rest.indexOf('ö') + 1));
        setImmediate(() => response.end(rest.subarray(rest.indexOf('ö') + 1)));
      };
    });
    expect(
      await textOf(client, undefined, (text) => {
        if (text === 'one ') told();
      }),
    ).toBe('one zwölf');
  });

  it('is asked for with the headers and the body that the SDK gives', async () => {
    const asked: unknown[] = [];
    const { client } = await serve((request, response) => {
      let body = '';
      request
        .on('data', (chunk) => {
          body += String(chunk);
        })
        .on('end', () => {
          asked.push(
            request.method,
            request.url,
            request.headers.authorization,
            request.headers['content-type'],
            (JSON.parse(body) as { messages: unknown }).messages,
          );
          response.writeHead(200).end(delta('x'));
        });
    });
    await textOf(client);
    expect(asked).toEqual([
      'POST',
      '/v1/messages',
      'Bearer test',
      'application/json',
      [{ role: 'user', content: 'ü' }],
    ]);
  });

  it('that is refused is an error with its status, its headers and what was said', async () => {
    const { client } = await serve((_request, response) => {
      response
        .writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' })
        .end(JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } }));
    });
    const error: unknown = await textOf(client).catch((reason: unknown) => reason);
    if (!(error instanceof APIError)) throw error;
    expect([error.status, error.type, (error.headers as Headers).get('retry-after')]).toEqual([
      429,
      'rate_limit_error',
      '7',
    ]); // of a response
    expect(error.message).toContain('slow down');
  });

  it('from somewhere else is fetched there', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200).end(delta('moved'));
    });
    const { client } = await serve((request, response) => {
      response.writeHead(307, { location: `${url}${request.url ?? ''}` }).end();
    });
    expect(await textOf(client)).toBe('moved');
  });

  it('that breaks off is an error, and no short answer', async () => {
    const { client } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('one '), () => {
        response.destroy();
      });
    });
    await expect(textOf(client)).rejects.toThrow('other side closed');
  });

  it('is never asked for twice by itself, on a connection that was used before or not', async () => {
    const asked: string[] = [];
    const { client } = await serve((request, response) => {
      request.resume().on('end', () => {
        asked.push('asked');
        if (asked.length === 1) response.writeHead(200).end(delta('x'));
        else response.destroy();
      });
    });
    expect(await textOf(client)).toBe('x');
    await expect(textOf(client)).rejects.toBeInstanceOf(APIConnectionError);
    await expect(textOf(client)).rejects.toBeInstanceOf(APIConnectionError);
    expect(asked).toHaveLength(3);
  });

  it('is asked for with the login in its address', async () => {
    const { url } = await serve((request, response) => {
      response.writeHead(200).end(delta(request.headers.authorization ?? 'none'));
    });
    const client = new Anthropic({
      apiKey: null,
      authToken: null,
      baseURL: url.replace('//', '//me:p%40%E2%82%AC@'),
      fetch: leanFetch,
      maxRetries: 0,
      logLevel: 'off',
      defaultHeaders: { 'x-api-key': 'test' },
    });
    expect(await textOf(client)).toBe(`Basic ${Buffer.from('me:p@€').toString('base64')}`);
  });

  it('of nobody says who was not there', async () => {
    const gone = new Anthropic({
      apiKey: 'test',
      baseURL: 'http://127.0.0.1:9',
      fetch: leanFetch,
      maxRetries: 0,
      logLevel: 'off',
    });
    const error: unknown = await textOf(gone).catch((reason: unknown) => reason);
    expect(error instanceof APIConnectionError && String(error.cause)).toContain('ECONNREFUSED 127.0.0.1:9');
  });

  it('that nobody waits for any more closes the connection', async () => {
    const controller = new AbortController();
    let closed = (): void => undefined;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { client } = await serve((_request, response) => {
      response.on('close', closed);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('one '));
    });
    const asked = textOf(client, controller.signal, () => {
      controller.abort();
    }).catch(() => 'aborted');
    await isClosed;
    expect(['one ', 'aborted']).toContain(await asked);
  });
});
