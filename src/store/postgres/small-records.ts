import type { Recorded } from '../../plan/agents/recorded-answers.js';
import type { Json } from '../../plan/values/json.js';
import type { DeviceFiles } from '../records/device-files.js';
import { createDeviceFiles } from '../records/device-files.js';
import { changedFollowers } from '../../plan/triggers/follow.js';
import type { HookPlace } from '../../plan/triggers/hook-places.js';
import { takePlace } from '../../plan/triggers/hook-places.js';
import type { FollowerFiles } from '../records/follower-files.js';
import { followersIn, keptFollowers, soundFollowers } from '../records/follower-files.js';
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

/** What starts when runs end, in one row. What is done again, for a confirmation was lost, changes nothing. */
export function createFollowers(database: Database, store: string): FollowerFiles {
  const records = recordsOf(database, 'followers');
  const place = `the database at \`${database.place}\``;
  return {
    async readFollowers() {
      const content = await records.read('');
      return content === null ? [] : followersIn(content, store, place);
    },
    changeFollowers: (change) =>
      changeRow(database, { kind: 'followers', name: '', empty: keptFollowers([], store) }, async (content) => {
        const followers = changedFollowers(
          await soundFollowers(async () => followersIn(content, store, place)),
          change,
        );
        return { content: keptFollowers(followers, store), result: followers };
      }),
  };
}

const LOCK = `
  insert into perdure.records values ($1, $2, $3) on conflict (kind, name) do update set name = $2
  returning content`;
const WRITE = `
  update perdure.records set content = $3, changed = clock_timestamp() where kind = $1 and name = $2`;

/** Changes a row that nobody else changes meanwhile; a null content leaves it as it is. */
function changeRow<T>(
  database: Database,
  { kind, name, empty }: { kind: string; name: string; empty: string },
  change: (content: string) => Promise<{ content: string | null; result: T }>,
): Promise<T> {
  const { sealing } = database;
  return database.transaction(async (query) => {
    const [row] = await query<{ content: string }>(LOCK, [kind, name, sealing.seal(empty, 'record')]);
    const { content, result } = await change(sealing.open(row?.content ?? '', 'record'));
    if (content !== null) await query(WRITE, [kind, name, sealing.seal(content, 'record')]);
    return result;
  });
}

/** The places of hooks, a row for each hook. What is done again, for a confirmation was lost, changes nothing. */
export function createHooks(database: Database): HookFiles {
  return {
    takeHookPlace: (hook, wish) =>
      changeRow(database, { kind: 'hook', name: hook, empty: '[]' }, async (content) => {
        // This function writes nothing else.
        const taken = takePlace(JSON.parse(content) as HookPlace[], wish);
        return { content: taken.isTaken ? JSON.stringify(taken.places) : null, result: taken };
      }),
  };
}
