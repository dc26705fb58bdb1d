import { homedir } from 'node:os';
import { join } from 'node:path';

export type Env = Record<string, string | undefined>;

/** The user's cache folder: `XDG_CACHE_HOME`, else what the platform uses. */
export function cacheFolder(env: Env = process.env): string {
  const given = env['XDG_CACHE_HOME'];
  if (given !== undefined && given.startsWith('/')) return given;
  const home = env['HOME'] ?? homedir();
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches');
  return join(home, '.cache');
}
