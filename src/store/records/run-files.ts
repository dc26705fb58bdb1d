import { statSync, utimesSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { ID, RUN_ID } from '../../plan/names.js';
import type { RunRecord } from '../../plan/result.js';
import { writeAtomically } from '../files.js';
import { sha256 } from '../hash.js';
import { errorCode, StoreFailure, storeFailure } from '../store-failure.js';
import { readText, readTextNow } from '../read-regular.js';

const EXTENSION = '.json';
/** Stands for `/` in the file names of nested runs; no id contains it. */
const SLASH = '+';
/** File systems allow 255 bytes; what is nested deeper than that is named by a hash. */
const LONGEST_NAME = 200;

export interface RunFiles {
  writeRun(record: RunRecord, named?: Promise<unknown>): Promise<void>;
  readRun(run: string): Promise<RunRecord | null>;
  listRuns(below?: string): Promise<string[]>;
  /** How many closed root runs are kept. */
  countRuns(): Promise<number>;
  /** Records of closed root runs in pages, the last ended first; one that cannot be read is left out. */
  closedRuns(atOnce?: number): AsyncGenerator<RunRecord[]>;
  /** Removes the record of one run, and nothing else of it. */
  forgetRun(run: string): Promise<void>;
}

/**
 * What remains of closed runs (decision 7): `<folder>/<run>.json`. Of nested runs only those leave one that were made
 * while the root ran, or cancelled.
 */
export function createRunFiles(folder: string): RunFiles {
  const files: RunFiles = {
    async writeRun(record, named) {
      const name = recordFile(record.run);
      if (name === null) throw new StoreFailure('internal', `Expected a run's id, got \`${record.run}\`.`);
      const path = join(folder, name);
      await writeAtomically(path, JSON.stringify(record), named);
      setTime(path, record.ended_at);
    },
    async readRun(run) {
      const name = recordFile(run);
      if (name === null) return null;
      const path = join(folder, name);
      try {
        const record: unknown = JSON.parse(readTextNow(path));
        if (isRecord(record)) return record;
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        if (error instanceof SyntaxError) throw corrupt(run, `\`${path}\` is not JSON`, error);
        throw storeFailure(error, 'read', path);
      }
      throw corrupt(run, `\`${path}\` lacks what a record has`);
    },
    async forgetRun(run) {
      const name = recordFile(run);
      if (name !== null) await rm(join(folder, name), { force: true });
    },
    countRuns: async () => (await files.listRuns()).length,
    async *closedRuns(atOnce = READ_AT_ONCE) {
      const ids = await files.listRuns();
      const times = await fileTimes(folder, ids);
      sortLatestFirst(ids, times);
      let mayBeWrong = true;
      for (let from = 0; from < ids.length; from += atOnce) {
        let page = await readAll(files, ids.slice(from, from + atOnce));
        if (mayBeWrong && page.some((record) => isMistimed(record, times))) {
          mayBeWrong = false;
          const rest = ids.splice(from);
          ids.push(...sortLatestFirst(rest, await mendTimes(folder, files, rest)));
          page = await readAll(files, ids.slice(from, from + atOnce));
        }
        yield page;
      }
    },
    async listRuns(below) {
      if (below !== undefined) return (await recordsBelow(folder, below)).map(({ run }) => run).sort();
      try {
        const names = await readdir(folder);
        return names
          .filter((name) => name.endsWith(EXTENSION) && !name.includes(SLASH))
          .map((name) => name.slice(0, -EXTENSION.length))
          .sort();
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return [];
        throw storeFailure(error, 'read', folder);
      }
    },
  };
  return files;
}

function corrupt(run: string, how: string, cause?: SyntaxError): StoreFailure {
  return new StoreFailure('store-missing', `The record of run \`${run}\` is corrupt: the file ${how}.`, { cause });
}

/** What lists cannot do without: they read thousands, so no more is looked at. `writeRun` wrote the rest with it. */
function isRecord(value: unknown): value is RunRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { spend, ...texts }: Partial<Record<keyof RunRecord, unknown>> = value;
  return typeof spend === 'object' && spend !== null && TEXTS.every((name) => typeof texts[name] === 'string');
}

const TEXTS = ['run', 'plan', 'plan_name', 'status', 'submitted_by', 'started_at', 'ended_at'] as const;

/** Records that are read between two turns of the event loop. */
const READ_AT_ONCE = 500;

/** The coarsest times of a file system. */
const COARSE_MS = 2_000;

/** When their files say that runs ended, in epoch milliseconds: to look at a file takes a tenth of reading it. */
async function fileTimes(folder: string, ids: string[]): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const [index, run] of ids.entries()) {
    times.set(run, statSync(join(folder, `${run}${EXTENSION}`), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (index % READ_AT_ONCE === 0) await setImmediate(); // others have their turn: the same process serves pages
  }
  return times;
}

/** Files that were copied without their times are as old as the copy. */
function isMistimed({ run, ended_at }: RunRecord, times: Map<string, number>): boolean {
  return Math.abs(Date.parse(ended_at) - (times.get(run) ?? 0)) > COARSE_MS;
}

/** When these runs ended by their records, which their files say from then on too, unless this user may not. */
async function mendTimes(folder: string, files: RunFiles, ids: string[]): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    for (const { run, ended_at } of await readAll(files, ids.slice(from, from + READ_AT_ONCE))) {
      times.set(run, Date.parse(ended_at));
      try {
        setTime(join(folder, `${run}${EXTENSION}`), ended_at);
      } catch {
        // The next list reads them all again.
      }
    }
  }
  return times;
}

/** By it lists find the last ones. */
function setTime(path: string, endedAt: string): void {
  const ended = new Date(endedAt);
  utimesSync(path, ended, ended);
}

function sortLatestFirst(ids: string[], times: Map<string, number>): string[] {
  return ids.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
}

async function readAll({ readRun }: Pick<RunFiles, 'readRun'>, ids: string[]): Promise<RunRecord[]> {
  const read = await Promise.all(ids.map((run) => readRun(run).catch(() => null)));
  await setImmediate(); // likewise
  return read.filter((record) => record !== null).sort((a, b) => (a.ended_at > b.ended_at ? -1 : 1));
}

/** Null for what is no run's id; nothing that passes can leave the folder. */
export function recordFile(run: string): string | null {
  if (!run.split('/').every((segment) => RUN_ID.test(segment) || ID.test(segment))) return null;
  const name = run.replaceAll('/', SLASH);
  return (name.length <= LONGEST_NAME ? name : `${SLASH}${sha256(run).slice('sha256:'.length)}`) + EXTENSION;
}

/** The records of a run's nested runs, by file; those of long ids are known by their content. */
export async function recordsBelow(folder: string, run: string): Promise<{ file: string; run: string }[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw storeFailure(error, 'read', folder);
  });
  const records = await Promise.all(
    names
      .filter((name) => name.endsWith(EXTENSION) && name.includes(SLASH))
      .map(async (file) => ({ file, run: await runOf(folder, file) })),
  );
  return records.filter((record) => record.run.startsWith(`${run}/`));
}

async function runOf(folder: string, file: string): Promise<string> {
  if (!file.startsWith(SLASH)) return file.slice(0, -EXTENSION.length).replaceAll(SLASH, '/');
  try {
    const { run } = JSON.parse(await readText(join(folder, file))) as Partial<RunRecord>; // or another's file
    return typeof run === 'string' ? run : '';
  } catch {
    return ''; // one that cannot be read says of no run that it is below another
  }
}
