import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const VERSION = '1.29.1';
const MODULE = `go.temporal.io/server`;
/** Outside the checkout, beside the Temporal program of the project: a server takes minutes to build. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'perdure', `temporal-server-${VERSION}`);

/** Temporal's server and its tool for SQL schemas, built by Go once; and the folder of its schemas. */
export function clusterBinaries(): { server: string; sql: string; schemas: string } {
  mkdirSync(CACHE, { recursive: true });
  const built = (name: string, folder: string): string => {
    const path = join(CACHE, name);
    if (!existsSync(path))
      execFileSync('go', ['install', '-p', '1', `${MODULE}/${folder}@v${VERSION}`], {
        env: { ...process.env, GOBIN: CACHE },
        stdio: 'ignore',
      });
    return path;
  };
  const server = built('server', 'cmd/server');
  const sql = built('sql', 'cmd/tools/sql');
  const told = execFileSync('go', ['mod', 'download', '-json', `${MODULE}@v${VERSION}`], { encoding: 'utf8' });
  const { Dir } = JSON.parse(told) as { Dir: string }; // as `go help mod download` says
  return { server, sql, schemas: join(Dir, 'schema', 'postgresql', 'v12') };
}
