import { randomUUID } from 'node:crypto';
import { overlap } from '../../plan/budget/run-clock.js';
import type { AliveLog } from '../logs/alive-log.js';
import type { Database } from './database.js';

/** As of the log in files. */
const TICK_MS = 2_000;
const SILENCE_MS = 10_000;

const TICK = `
  insert into perdure.stretches values ($1, clock_timestamp(), clock_timestamp())
  on conflict (id) do update set ended = clock_timestamp()`;
const READ = `
  select extract(epoch from begun) * 1000 as begun, extract(epoch from ended) * 1000 as ended from perdure.stretches
  where ended > to_timestamp($1 / 1000.0)`;
/** No budget reaches further back. */
const PRUNE = `delete from perdure.stretches where ended < clock_timestamp() - interval '100 days'`;

/** When workers of this store were there, by the database's clock: a row for each stretch. */
export function createAlive(database: Database): AliveLog {
  return {
    keepAlive() {
      let id: string = randomUUID();
      let last = Date.now();
      const tick = async (): Promise<void> => {
        if (Date.now() - last > SILENCE_MS) id = randomUUID();
        last = Date.now();
        await database.query(TICK, [id]).catch(() => undefined); // what cannot be said is not counted
      };
      void tick();
      void database.query(PRUNE).catch(() => undefined);
      const timer = setInterval(() => void tick(), TICK_MS);
      timer.unref();
      return () => {
        clearInterval(timer);
        void tick();
      };
    },
    async countAlive(intervals) {
      const from = Math.min(...intervals.map(([begin]) => begin));
      if (!Number.isFinite(from)) return 0;
      const rows = await database.query<{ begun: string; ended: string }>(READ, [from]);
      // Whoever asks is there as well, up to the next tick of its own.
      return overlap(
        intervals,
        rows.map(({ begun, ended }) => [Number(begun), Number(ended) + TICK_MS]),
      );
    },
  };
}
