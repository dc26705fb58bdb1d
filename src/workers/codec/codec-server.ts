import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { codeOf, messageOf, UnavailableError } from '../errors.js';
import { answerCodec } from './codec-protocol.js';
import type { Reader } from './readable-payload.js';

export interface CodecServerOptions {
  reader: Reader;
  host: string;
  /** 0 for any that is free. */
  port: number;
  /** Pages in a browser that may ask, by their origin. */
  origins: readonly string[];
  /** What every request has to bring. */
  token: string;
  signal: AbortSignal;
  onReady: (address: string) => void;
}

/**
 * Serves Temporal's UI and command line until the signal ends it: `/decode` and `/encode`, to whoever brings the token,
 * as a bearer token or as the first part of the path, which is all that the UI can send without a login. Throws an
 * UnavailableError when it cannot listen.
 */
export async function runCodecServer({
  reader,
  host,
  port,
  origins,
  token,
  signal,
  onReady,
}: CodecServerOptions): Promise<void> {
  const isToken = tokenCheck(token);
  const server = createServer((request, response) => {
    void answerCodec(request, response, {
      reader: () => reader,
      origins: () => origins,
      question: (asked) => questionIn(asked, isToken),
    }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(unavailable(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  onReady(
    `http://${host.includes(':') ? `[${host}]` : host}:${typeof address === 'object' ? String(address?.port) : ''}`,
  );
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** `/decode` or `/encode` where the token is right; null where it is not. */
function questionIn({ headers, url = '' }: IncomingMessage, isToken: (given: string) => boolean): string | null {
  const [, first = '', second] = /^\/([^/?]*)(\/[^?]*)?/.exec(url) ?? [];
  if (second !== undefined) return isToken(first) ? second : null;
  return isToken((headers.authorization ?? '').replace(/^Bearer /i, '')) ? `/${first}` : null;
}

/** Compares by hashes, so that the time it takes tells nothing. */
function tokenCheck(token: string): (given: string) => boolean {
  const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = hashOf(token);
  return (given) => timingSafeEqual(hashOf(given), expected);
}

function unavailable(error: Error, host: string, port: number): UnavailableError {
  return codeOf(error) === 'EADDRINUSE'
    ? new UnavailableError(`Port ${port} of ${host} is taken.`, 'Choose another one: --port')
    : new UnavailableError(`Cannot listen at ${host}, port ${port}: ${messageOf(error)}`);
}
