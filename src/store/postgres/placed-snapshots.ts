import { hostname } from 'node:os';
import type { Snapshots } from '../snapshots/snapshots.js';
import { createSnapshots } from '../snapshots/snapshots.js';
import type { Database } from './database.js';
import { recordsOf } from './records.js';

/**
 * Snapshots stay where their workspace is, in the state folder of that machine; the database knows which one that is.
 * Who asks for them elsewhere is told where they are.
 */
export function createPlacedSnapshots(database: Database, folder: string): Snapshots {
  const local = createSnapshots(folder);
  const placed = recordsOf(database, 'snapshot');
  return {
    ...local,
    async keepSnapshot(run, moment, workspace) {
      if (!(await local.keepSnapshot(run, moment, workspace))) return false;
      if (moment === 'start') await placed.writeOnce(run, JSON.stringify({ host: hostname(), folder }));
      return true;
    },
    async snapshotElsewhere(run) {
      if ((await local.snapshotOf(run, 'start')) !== null) return null;
      const place = await placed.read(run);
      return place === null ? null : (JSON.parse(place) as { host: string; folder: string }); // written above
    },
  };
}
