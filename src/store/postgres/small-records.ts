import type { Recorded } from '../../plan/agents/recorded-answers.js';
import type { Json } from '../../plan/values/json.js';
import type { DeviceFiles } from '../records/device-files.js';
import { createDeviceFiles } from '../records/device-files.js';
import type { FollowerFiles } from '../records/follower-files.js';
import { followersIn, keptFollowers } from '../records/follower-files.js';
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
