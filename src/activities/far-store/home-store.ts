import { Context } from '@temporalio/activity';
import type { Json } from '../../plan/values/json.js';
import type { Line } from '../../plan/calls/store-questions.js';
import type { Hash, Value } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import { LINE_CHARACTERS } from '../../store/logs/log-lines.js';
import { StoreFailure } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import type { LogWriter } from '../../store/logs/line.js';
import type { StorePlace } from './ask-store.js';
import { askStore } from './ask-store.js';

/**
 * Longer than any activity that asks: the run's own workers may be starting anew, and Temporal's limits end the wait.
 */
const TIMEOUT_MS = 10 * 60_000;
/**
 * Characters of log lines that are sent at once; as JSON they are at most six times as many bytes, plus their times.
 */
const LOG_CHARACTERS = 100_000;
/**
 * A step's log is sent in this time or not at all: within what Temporal allows beyond the step's own limit
 * (`GRACE_MS`).
 */
const LOG_MS = 20_000;

/** A run's store, as a worker on a device's host has it. */
export interface HomeStore extends Store {
  /** Whether the run's store is another one, on another machine or in another folder of this one. */
  isElsewhere(): Promise<boolean>;
}

/**
 * The store of a run, for a worker that may have another one: values and the Plan are fetched from the run's own
 * workers when they are not here, and are kept here under their hashes; what is written is sent there. What belongs to
 * this host, such as a device's last good image, stays here. `home` is the run's own queue; undefined where that is
 * this worker's.
 */
export function createHomeStore(local: Store, home: string | undefined): HomeStore {
  if (home === undefined) return { ...local, isElsewhere: async () => false };
  const place: StorePlace = { client: Context.current().client, taskQueue: home, id: home };
  let id: Promise<string | undefined> | null = null;
  const isElsewhere = async (): Promise<boolean> =>
    (await (id ??= askStore(place, { op: 'where' }, TIMEOUT_MS).then((where) => where.id))) !== local.id;
  const get = (ref: Hash): Promise<Json> =>
    local.get(ref).catch((error: unknown) => fetchValue(place, local, ref, error));
  const send = async (value: Json): Promise<void> => {
    if (await isElsewhere()) await askStore(place, { op: 'put', values: [value], always: true }, TIMEOUT_MS);
  };
  return {
    ...local,
    isElsewhere,
    get,
    getText: async (text) => (typeof text === 'string' ? text : String(await get(text.text))),
    getPlan: (plan) =>
      local.getPlan(plan).catch(async (error: unknown) => {
        if (!(await isElsewhere())) throw error;
        await local.putPlan(await askStore(place, { op: 'getPlan', plan }, TIMEOUT_MS));
        return local.getPlan(plan);
      }),
    put: async (value): Promise<Value> => {
      const stored = await local.put(value);
      if (isStored(stored)) await send(value);
      return stored;
    },
    putAlways: async (value) => {
      const stored = await local.putAlways(value);
      await send(value);
      return stored;
    },
    beginPut: (value) => {
      const { stored, done } = local.beginPut(value);
      const sent = done.then(() => send(value));
      return { stored, named: sent, done: sent };
    },
    openLog: (run, path) => openBoth(() => local.openLog(run, path), { place, run, path, isElsewhere }),
  };

  async function fetchValue(from: StorePlace, to: Store, ref: Hash, missing: unknown): Promise<Json> {
    if (!(await isElsewhere())) throw missing;
    const parts: string[] = [];
    for (let at: number | null = 0; at !== null;) {
      const { text, next }: { text: string; next: number | null } = await askStore(
        from,
        { op: 'getPart', ref, at },
        TIMEOUT_MS,
      );
      parts.push(text);
      at = next;
    }
    const value = JSON.parse(parts.join('')) as Json; // `JSON.parse` makes nothing else
    const stored = await to.putAlways(value);
    if (stored.ref !== ref)
      throw new StoreFailure('store-missing', `The value that came for \`${ref}\` is another one.`);
    return value;
  }
}

interface Far {
  place: StorePlace;
  run: string;
  path: string;
  isElsewhere: () => Promise<boolean>;
}

/**
 * A log that is written here as it comes, and sent to the run's store when it is closed. What the step did is done by
 * then: a log that cannot be sent stays here, and says so.
 */
function openBoth(open: () => LogWriter, { place, run, path, isElsewhere }: Far): LogWriter {
  const local = open();
  const lines: Line[] = [];
  const send = (stream: Line['stream'], text: string, at: string): void => {
    for (let start = 0; start < text.length; start += LINE_CHARACTERS)
      lines.push({ at, stream, text: text.slice(start, start + LINE_CHARACTERS) });
  };
  const sendAll = async (): Promise<void> => {
    if (!(await isElsewhere())) return;
    let at: number | null = null;
    for (const pack of [[], ...inPacks(lines)])
      ({ next: at } = await askStore(place, { op: 'addLog', run, path, lines: pack, at }, LOG_MS));
  };
  return {
    write(stream, text, at = new Date().toISOString()) {
      local.write(stream, text, at);
      send(stream, text, at);
    },
    writeLast(stream, text, at = new Date().toISOString()) {
      local.writeLast(stream, text, at);
      send(stream, text, at);
    },
    async close() {
      await local.close();
      if (lines.length === 0) return;
      try {
        await within(LOG_MS, sendAll);
      } catch (error) {
        const again = open();
        again.write(
          'note',
          `this log did not reach the run's own store: ${error instanceof Error ? error.message : String(error)}`,
        );
        await again.close().catch(() => undefined);
      }
    },
  };
}

/** Rejects where `act` has not ended in this time; it is not waited for any longer. */
async function within(ms: number, act: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${ms / 1000} s`)), ms);
  });
  try {
    await Promise.race([late, act()]);
  } finally {
    clearTimeout(timer);
  }
}

function inPacks(lines: Line[]): Line[][] {
  const packs: Line[][] = [];
  let room = 0;
  for (const line of lines) {
    const size = line.text.length + 16; // beside a text, a line's time and stream count little
    if (size > room) {
      packs.push([]);
      room = LOG_CHARACTERS + 16;
    }
    packs.at(-1)?.push(line);
    room -= size;
  }
  return packs;
}
