import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HookPlace, HookTaken, HookWish } from '../../plan/triggers/hook-places.js';
import { takePlace } from '../../plan/triggers/hook-places.js';
import { fileName, writeAtomically } from '../files.js';
import { withLease } from '../folders/lease.js';
import { makeFolders } from '../folders/root.js';
import { storeFailure } from '../store-failure.js';
import { readTextNow } from '../read-regular.js';

export interface HookFiles {
  /** Gives a starter a place among those of its hook, if one is free. All listeners of the store share them. */
  takeHookPlace(hook: string, wish: HookWish): Promise<HookTaken>;
}

/** The places of a hook: `<folder>/<hook>/places.json`, beside the lease of who takes one. */
export function createHookFiles(folder: string): HookFiles {
  return {
    takeHookPlace(hook, wish) {
      const place = join(folder, fileName(hook));
      const path = join(place, 'places.json');
      makeFolders(place);
      return withLease(place, {}, async ({ require }) => {
        const taken = takePlace(readPlaces(path), wish);
        require();
        if (taken.isTaken) await writeAtomically(path, JSON.stringify(taken.places));
        return taken;
      });
    },
  };
}

function readPlaces(path: string): HookPlace[] {
  try {
    return existsSync(path) ? (JSON.parse(readTextNow(path)) as HookPlace[]) : []; // nothing else writes it
  } catch (error) {
    throw storeFailure(error, 'read', path);
  }
}
