import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { packageRoot } from '../../store/folders/package-root.js';
import type { PageEnv } from '../site.js';

const TYPES = { 'page.js': 'text/javascript; charset=utf-8', 'page.css': 'text/css; charset=utf-8' } as const;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#3457d5"/>' +
  '<path d="M8 3.2 12.8 8 8 12.8 3.2 8z" fill="#fff"/></svg>';

/** The files beside the pages: the same for everybody, and all that a browser ever loads. */
export function assetRoutes(app: Hono<PageEnv>): void {
  for (const [name, type] of Object.entries(TYPES))
    app.get(`/assets/${name}`, (c) =>
      c.body(readFileSync(join(packageRoot(), 'dist', 'web', 'browser', name)).toString(), 200, {
        'content-type': type,
        'cache-control': 'no-cache',
      }),
    );
  app.get('/assets/icon.svg', (c) =>
    c.body(ICON, 200, { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=86400' }),
  );
}
