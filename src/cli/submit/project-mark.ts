import { hostname } from 'node:os';
import { placeOf, realOf } from '../../store/folders/places.js';
import type { StoreElsewhere } from '../elsewhere/find-store.js';
import type { Workspace } from '../session.js';

/**
 * Tells the projects of a store apart: by the name that they give themselves, else by the way from the state folder,
 * which is the same wherever both are moved; where the store is no folder of this machine, by host and folder.
 */
export function projectMark({
  elsewhere,
  config,
  project: { root, stateDir },
}: Workspace & { elsewhere: StoreElsewhere | null }): string {
  if (config.project !== undefined) return config.project;
  if (elsewhere !== null || config.store !== undefined) return `${hostname()}:${realOf(root)}`;
  return placeOf({ folder: stateDir }, root);
}
