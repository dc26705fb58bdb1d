import { randomUUID } from 'node:crypto';
import type { Pause, ProviderFiles } from '../records/provider-files.js';
import type { Database } from './database.js';
import { recordsOf } from './records.js';

/** Of two pauses the later one holds. */
const WRITE_LATER = `
  insert into perdure.records as r values ('pause', $1, $2)
  on conflict (kind, name) do update set content = $2, changed = clock_timestamp()
  where (r.content::json ->> 'until')::numeric < ($2::json ->> 'until')::numeric`;
/** Probes of pauses that are over are of no use, and are removed with them. */
const END = `
  delete from perdure.records where kind = 'pause' and name = $1 or kind = 'probe' and starts_with(name, $1 || ' ')`;

/** What providers said about when they may be asked, for all workers of the store. */
export function createProviders(database: Database): ProviderFiles {
  const pauses = recordsOf(database, 'pause');
  const probes = recordsOf(database, 'probe');
  return {
    async readPause(provider) {
      const content = await pauses.read(provider);
      return content === null ? null : (JSON.parse(content) as Pause); // `writePause` wrote it
    },
    async writePause(provider, pause) {
      await (pause === null
        ? database.query(END, [provider])
        : database.query(WRITE_LATER, [provider, JSON.stringify(pause)]));
    },
    claimProbe: (provider, { until }, turn) =>
      probes.writeOnce(`${provider} ${String(until)} ${String(turn)}`, randomUUID()),
  };
}
