import { homedir } from 'node:os';
import { join } from 'node:path';

export type Env = Record<string, string | undefined>;

/**
 * Where everything of ours that can be made again lies for all projects of a user: `XDG_CACHE_HOME`, else the
 * platform's place.
 */
export function cacheFolder(env: Env = process.env): string {
  return join(base(env), 'perdure');
}

function base(env: Env): string {
  const given = env['XDG_CACHE_HOME'];
  // An empty or relative one is to be ignored (XDG Base Directory Specification).
  if (given !== undefined && given.startsWith('/')) return given;
  const home = env['HOME'] ?? homedir();
  return process.platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
}
