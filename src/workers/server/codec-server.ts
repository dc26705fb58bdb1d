import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import type { Store } from '../../store/store.js';
import { answerCodec } from '../codec/codec-protocol.js';
import { codeOf } from '../errors.js';
import { isOwnPeer } from './own-peer.js';
import { LOOPBACK } from './ports.js';

/** The HTTP endpoint that Temporal's Web UI asks to show payloads. */
export interface CodecServer {
  port: number;
  /** The UI's port, as soon as it is known: only its pages may ask. */
  allow: (uiPort: number) => void;
  close: () => Promise<void>;
}

/**
 * Serves `/decode` and `/encode` on loopback, to pages of the UI; on Linux only to this account. A payload that is
 * encrypted or names stored values comes back with the values themselves, up to 1 MiB in one payload; everything else
 * comes back as it is. A `wanted` port that is taken gives another one. A Plan comes back as people can read it.
 */
export async function serveCodec(
  store: Pick<Store, 'get'>,
  wanted: number | null,
  keys: () => KeyRing | null = () => null,
): Promise<CodecServer> {
  let origins: string[] = [];
  let port = 0;
  const server = createServer((request, response) => {
    void answerCodec(request, response, {
      reader: () => ({ store, keys: keys() }),
      origins: () => origins,
      question: (asked) => questionIn(asked, port),
    }).catch(() => response.destroy());
  });
  port = await listen(server, wanted);
  return {
    port,
    allow: (uiPort) => (origins = loopbackHosts(uiPort).map((host) => `http://${host}`)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * The question of a page of the UI, which a browser shows to somebody of this account. A token would keep nobody out:
 * the UI tells it to whoever asks, and it would stand in the server's command line.
 */
async function questionIn({ headers, url = '', socket }: IncomingMessage, port: number): Promise<string | null> {
  // A foreign name that resolves to loopback (DNS rebinding) shows itself in the Host header.
  const isPage = headers.origin !== undefined && loopbackHosts(port).includes(headers.host ?? '');
  return isPage && (await isOwnPeer(socket)) ? url : null;
}

function loopbackHosts(port: number): string[] {
  return [`${LOOPBACK}:${String(port)}`, `localhost:${String(port)}`];
}

function listen(server: Server, wanted: number | null): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE' && wanted !== null) server.listen(0, LOOPBACK);
      else reject(error);
    });
    server.once('listening', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
    server.listen(wanted ?? 0, LOOPBACK);
  });
}
