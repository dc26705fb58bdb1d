import type { Recorded } from '../../plan/agents/recorded-answers.js';
import type { Json } from '../../plan/values/json.js';
import type { DeviceFiles } from '../records/device-files.js';
import { createDeviceFiles } from '../records/device-files.js';
import type { HookPlace } from '../../plan/triggers/hook-places.js';
import { takePlace } from '../../plan/triggers/hook-places.js';
import type { FollowerFiles } from '../records/follower-files.js';
import { followersIn, keptFollowers } from '../records/follower-files.js';
import type { HookFiles } from '../records/hook-files.js';
import type { RecordedFiles } from '../records/recorded-files.js';
import type { TaintFiles } from '../records/taint-files.js';
import type { Database } from './database.js';
import { recordsOf } from './records.js';

/** What runs that are tests are to get, a row for each run. */
export function createRecorded(database: Database): RecordedFiles {
  const records = recordsOf(database, 'recorded');
  return {
    writeRecorded: (run, recorded) => records.write(run, JSON.stringify(recorded)),
    async readRecorded(run) {
      const content = await records.read(run);
      return content === null ? null : (JSON.parse(content) as Recorded); // `writeRecorded` wrote it
    },
  };
}

/** What is kept about devices, a row each. The memory of a simulated one is a file, where its host is. */
export function createDevices(database: Database, folder: string): DeviceFiles {
  const records = recordsOf(database, 'device');
  return {
    async readDevice(name) {
      const content = await records.read(name);
      return content === null ? null : (JSON.parse(content) as Json); // `JSON.parse` makes nothing else
    },
    writeDevice: (name, record) => records.write(name, JSON.stringify(record)),
    deviceMemory: (name) => createDeviceFiles(folder).deviceMemory(name),
  };
}

/** Contents that runs wrote where a person's word counts, a row each. */
export function createTaint(database: Database): TaintFiles {
  const records = recordsOf(database, 'tainted');
  return {
    taint: (content, run) => records.write(content, run),
    taintedBy: (content) => records.read(content),
  };
}

/** What starts when runs end, in one row. */
export function createFollowers(database: Database, store: string): FollowerFiles {
  const records = recordsOf(database, 'followers');
  return {
    async readFollowers() {
      const content = await records.read('');
      return content === null ? [] : followersIn(content, store, `the database at \`${database.place}\``);
    },
    writeFollowers: (followers) => records.write('', keptFollowers(followers, store)),
  };
}

const LOCK_HOOK = `
  insert into perdure.records values ('hook', $1, $2) on conflict (kind, name) do update set name = $1
  returning content`;
const WRITE_HOOK = `
  update perdure.records set content = $2, changed = clock_timestamp() where kind = 'hook' and name = $1`;

/** The places of hooks, a row for each hook. What is done again, for a confirmation was lost, changes nothing. */
export function createHooks(database: Database): HookFiles {
  return {
    takeHookPlace: (hook, wish) =>
      database.transaction(async (query) => {
        const [row] = await query<{ content: string }>(LOCK_HOOK, [hook, database.sealing.seal('[]', 'record')]);
        // This function writes nothing else.
        const places = JSON.parse(database.sealing.open(row?.content ?? '', 'record')) as HookPlace[];
        const taken = takePlace(places, wish);
        if (taken.isTaken)
          await query(WRITE_HOOK, [hook, database.sealing.seal(JSON.stringify(taken.places), 'record')]);
        return taken;
      }),
  };
}
