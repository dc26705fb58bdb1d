import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { fileName, writeAtomically } from '../files.js';
import { makeFolders, PRIVATE_FILE } from '../folders/root.js';
import { errorCode, storeFailure } from '../store-failure.js';
import { readTextNow } from '../read-regular.js';

/** A provider that said when it may be asked again. */
export interface Pause {
  /** Epoch milliseconds. */
  until: number;
  /** What it said. */
  reason: string;
}

export interface ProviderFiles {
  /** The pause of a provider, for all workers of the store; null where there is none. */
  readPause(provider: string): Promise<Pause | null>;
  /** Null ends it. Of two the later one holds. */
  writePause(provider: string, pause: Pause | null): Promise<void>;
  /** Whether the caller is the one who may ask first once a pause is over; `turn` counts the chances. */
  claimProbe(provider: string, pause: Pause, turn: number): Promise<boolean>;
}

/**
 * What providers said about when they may be asked: `<folder>/<provider>.json`, beside it one empty file for each
 * claimed probe.
 */
export function createProviderFiles(folder: string): ProviderFiles {
  const paths = new Map<string, string>();

  /** Asked for twice at every call of a model, of a handful of providers. */
  function pathOf(provider: string): string {
    const path = paths.get(provider) ?? join(folder, `${fileName(provider)}.json`);
    paths.set(provider, path);
    return path;
  }

  function readPause(provider: string): Pause | null {
    // Nearly always there is none, and this is asked before every call: a thrown error takes much longer.
    if (!existsSync(pathOf(provider))) return null;
    try {
      const pause = JSON.parse(readTextNow(pathOf(provider))) as Json;
      if (!isObject(pause) || typeof pause['until'] !== 'number') return null;
      return { until: pause['until'], reason: typeof pause['reason'] === 'string' ? pause['reason'] : '' };
    } catch (error) {
      // What is damaged says nothing; the provider will say it again.
      if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return null;
      throw storeFailure(error, 'read', pathOf(provider));
    }
  }

  /** Probes of pauses that are over are of no use, and are removed with them. */
  function removeAll(provider: string): void {
    if (!existsSync(folder)) return;
    rmSync(pathOf(provider), { force: true });
    const prefix = `${fileName(provider)}.`;
    for (const name of readdirSync(folder))
      if (name.startsWith(prefix) && name.endsWith('.probe')) rmSync(join(folder, name), { force: true });
  }

  return {
    readPause: async (provider) => readPause(provider),
    async writePause(provider, pause) {
      if (pause === null) return removeAll(provider);
      if ((readPause(provider)?.until ?? 0) < pause.until)
        await writeAtomically(pathOf(provider), JSON.stringify(pause));
    },
    async claimProbe(provider, { until }, turn) {
      const path = join(folder, `${fileName(provider)}.${String(until)}.${String(turn)}.probe`);
      try {
        makeFolders(folder);
        closeSync(openSync(path, 'wx', PRIVATE_FILE)); // Of several who do so at once one succeeds.
        return true;
      } catch (error) {
        if (errorCode(error) === 'EEXIST') return false;
        throw storeFailure(error, 'write', path);
      }
    },
  };
}
