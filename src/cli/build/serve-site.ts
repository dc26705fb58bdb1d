import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { inFolderOf } from '../../activities/workspace/open.js';
import { readPlain } from '../../store/read-plain.js';

const MOST_BYTES = 64 * 1024 * 1024;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.wav': 'audio/wav',
  '.webmanifest': 'application/manifest+json',
};

/** A page that is served. */
export interface ServedSite {
  /** `http://127.0.0.1:<port>/`. */
  address: string;
  close: () => Promise<void>;
}

/**
 * Serves the files of a folder of a workspace on this machine alone, on a port that is free. Which folder is asked with
 * each request; null while there is none. No link is followed, names that begin with a dot are not there, and a request
 * for another host is refused: a page elsewhere that has a name of its own for this machine gets nothing.
 */
export async function serveSite(workspace: string, folder: () => Promise<string | null>): Promise<ServedSite> {
  const server = createServer((request, response) => {
    void answer(request, { workspace, folder, port: portOf(server) }).then(
      (reply) => send(response, reply, request.method === 'HEAD'),
      () => send(response, refusal(500, 'That could not be read.'), false),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${portOf(server)}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Reply {
  status: number;
  type: string;
  body: Buffer;
  location?: string;
}

interface Site {
  workspace: string;
  folder: () => Promise<string | null>;
  port: number;
}

async function answer({ method, headers, url }: IncomingMessage, site: Site): Promise<Reply> {
  const { workspace, port } = site;
  if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`)
    return refusal(421, `Expected the host 127.0.0.1:${port}.`);
  // It would outlive this page, and have what is served at this port another time.
  if (headers['service-worker'] !== undefined)
    return refusal(403, 'Pages that are served here run no service workers.');
  if (method !== 'GET' && method !== 'HEAD') return refusal(405, 'Only files are served.');
  const path = pathOf(url ?? '/');
  if (path === null) return refusal(404, 'There is no such file.');
  const folder = await site.folder();
  if (folder === null) return refusal(404, 'There is no page yet.');
  const isFolder = path === '' || path.endsWith('/');
  const name = isFolder ? `${path}index.html` : path;
  const file = await fileAt(workspace, join(folder, name));
  if (file !== null)
    return { status: 200, type: TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream', body: file };
  const page = isFolder ? null : await fileAt(workspace, join(folder, path, 'index.html'));
  return page === null
    ? refusal(404, 'There is no such file.')
    : { ...refusal(301, ''), location: `/${path.split('/').map(encodeURIComponent).join('/')}/` };
}

/** The path of a request below the folder; null for one that leads out of it, or to what is hidden. */
function pathOf(url: string): string | null {
  try {
    const path = decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '').replace(/^\/+/, '');
    const parts = path.split('/');
    const isPlain = parts.every((part, index) => !part.startsWith('.') && (part !== '' || index === parts.length - 1));
    return isPlain && !/[\0\\]/.test(path) ? path : null;
  } catch {
    return null;
  }
}

async function fileAt(workspace: string, path: string): Promise<Buffer | null> {
  return inFolderOf(workspace, path, {}, (folder, name) => readPlain(folder.at(name), MOST_BYTES)).catch(() => null);
}

function refusal(status: number, message: string): Reply {
  return { status, type: 'text/plain; charset=utf-8', body: Buffer.from(message) };
}

function send(response: ServerResponse, { status, type, body, location }: Reply, isHead: boolean): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...(location === undefined ? {} : { location }),
  });
  response.end(isHead ? undefined : body);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
