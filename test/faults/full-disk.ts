import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PRELOAD = fileURLToPath(new URL('./full-disk.mjs', import.meta.url));

/** A disk that is full for what is asked for, in every process that has its variables. */
export interface FullDisk {
  env: Record<string, string>;
  /** From now on writes of paths that match fail, after as many of each process as are let through. */
  fill(match: string, skip?: number): void;
  free(): void;
  /** Writes that failed since it was filled first, or since `forget`. */
  hits(): number;
  forget(): void;
  /** Files that were opened to be written. */
  seen(): string[];
  close(): Promise<void>;
}

export async function openFullDisk(): Promise<FullDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-disk-'));
  const setting = join(folder, 'full');
  const lines = (name: string): string[] =>
    existsSync(`${setting}.${name}`) ? readFileSync(`${setting}.${name}`, 'utf8').split('\n').slice(0, -1) : [];
  return {
    env: { NODE_OPTIONS: `--import=${PRELOAD}`, PERDURE_TEST_DISK: setting },
    fill(match, skip = 0) {
      writeFileSync(`${setting}.draft`, JSON.stringify({ match, skip }));
      renameSync(`${setting}.draft`, setting);
    },
    free: () => {
      rmSync(setting, { force: true });
    },
    hits: () => lines('hits').length,
    forget: () => {
      rmSync(`${setting}.hits`, { force: true });
    },
    seen: () => lines('seen'),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
