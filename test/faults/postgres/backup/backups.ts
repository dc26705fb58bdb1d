import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { postgresFolder } from '../../../../scripts/needs.mjs';
import type { Shared } from '../machines.js';
import { signalFolder } from '../machines.js';

const DATABASE = ['temporal.db', 'temporal.db-wal', 'temporal.db-shm'];

type Restoring = (name: string) => Promise<void>;

/** Backups of the pair, by name: Temporal's database, and the store's. */
export function backups({ home }: Shared, url: string): Record<'take' | 'restoreStore' | 'restoreServer', Restoring> {
  const state = join(home.folder, '.perdure');
  const folder = signalFolder();
  const bin = dirname(realpathSync(join(postgresFolder() ?? '', 'postgres')));
  const postgres = (tool: string, ...words: string[]): Buffer =>
    execFileSync(join(bin, tool), words, { stdio: 'pipe' });
  return {
    async take(name) {
      await home.run('server', 'stop');
      mkdirSync(join(folder, name));
      for (const file of DATABASE.filter((one) => existsSync(join(state, one))))
        cpSync(join(state, file), join(folder, name, file));
      postgres('pg_dump', '-Fc', '-f', join(folder, `${name}.dump`), url);
      await home.run('server', 'start');
    },
    restoreStore(name) {
      postgres('pg_restore', '--clean', '-d', url, join(folder, `${name}.dump`));
      return Promise.resolve();
    },
    async restoreServer(name) {
      await home.run('server', 'stop');
      for (const file of DATABASE) rmSync(join(state, file), { force: true });
      cpSync(join(folder, name), state, { recursive: true });
      await home.run('server', 'start');
    },
  };
}
