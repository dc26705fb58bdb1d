import type { AliveLog } from './logs/alive-log.js';
import type { ApprovalKey } from './records/approval-key.js';
import type { FollowerFiles } from './records/follower-files.js';
import type { HookFiles } from './records/hook-files.js';
import type { Writing } from './files.js';
import type { MadeFiles } from './records/made-files.js';
import type { MemoryFiles } from './records/memory-files.js';
import type { NarrationFiles } from './records/narration-files.js';
import type { Pruning } from './records/prune-files.js';
import type { ProviderFiles } from './records/provider-files.js';
import type { SessionFiles } from './records/session-files.js';
import type { RecordedFiles } from './records/recorded-files.js';
import type { Snapshots } from './snapshots/snapshots.js';
import type { SubmittedFiles } from './records/submitted-files.js';
import type { HomeBook } from './workers/home-book.js';
import type { WorkerBook } from './workers/worker-book.js';
import type { TaintFiles } from './records/taint-files.js';
import type { Json } from '../plan/values/json.js';
import type { Plan } from '../plan/plan.js';
import type { RunRecord } from '../plan/result.js';
import type { Hash, StoredValue, Text, Value } from '../plan/values/value.js';
import type { JournalEntry, JournalKey, Taken } from './journal/entry.js';
import type { LogLine, LogWriter } from './logs/line.js';

/**
 * Everything that outlives a process but is no history: content-addressed values, the call journal, closed runs, logs.
 * One implementation: a local folder (`.perdure/`), see `local-store.ts`. What `put*` returned is on disk: written,
 * synced and renamed (I6).
 */
export interface Store
  extends
    AliveLog,
    ApprovalKey,
    FollowerFiles,
    HookFiles,
    MadeFiles,
    Pruning,
    ProviderFiles,
    SessionFiles,
    MemoryFiles,
    NarrationFiles,
    RecordedFiles,
    Snapshots,
    SubmittedFiles,
    TaintFiles,
    WorkerBook {
  /** Random, made with the folder; names the task queue (decision 11). */
  id: string;
  /**
   * State folder of the store that this one is a copy of, which goes on with the runs that were open; null of any
   * other.
   */
  copiedFrom: string | null;
  /** The state folder, where it is on this machine: no tool of an agent sees anything of it. */
  folder: string | null;
  /** Workspaces that go from machine to machine; null of a store that is on one. */
  homes: HomeBook | null;
  /** The value itself up to 512 bytes of JSON, else a stored value with a preview. */
  put(value: Json): Promise<Value>;
  /** Stores whatever its size. */
  putAlways(value: Json): Promise<StoredValue>;
  /**
   * The same for who has more to write meanwhile: what `stored` names is there once `named` has resolved, and on disk
   * once `done` has.
   */
  beginPut(value: Json): { stored: StoredValue } & Writing;
  /** Reads and verifies. Throws a `StoreFailure` naming the hash when it is missing or corrupt. */
  get(ref: Hash): Promise<Json>;
  /** A text of a Plan. */
  getText(text: Text): Promise<string>;
  putPlan(plan: Plan): Promise<void>;
  getPlan(hash: Hash): Promise<Plan>;
  /** Throws a `StoreFailure` when the journal is damaged, so that nobody can say whether the key was there. */
  readJournal(key: JournalKey): Promise<JournalEntry | null>;
  /**
   * Gives the answer of a key, or the right to ask for it: of all workers of the store one has that at a time. While a
   * living one has it this waits, until `signal` ends the wait. Throws as `readJournal` does.
   */
  claimQuestion(key: JournalKey, request: Hash, signal?: AbortSignal): Promise<Taken>;
  /** Writes an entry where the key has none; false where it has: of several who do so at once one writes. */
  beginOnce(key: JournalKey, entry: JournalEntry, synced?: boolean): Promise<boolean>;
  /**
   * Every key of a journal with its last entry, in the order in which they came; with `begins` those keys alone that
   * begin so.
   */
  listJournal(scope: string, begins?: string): Promise<[key: string, entry: JournalEntry][]>;
  /** Writes what `merge` makes of the entry that is there: of several who do so at once none loses what it adds. */
  mergeJournal(key: JournalKey, merge: (before: JournalEntry | null) => JournalEntry): Promise<void>;
  /** Keys of a journal whose question was asked again because who asked it was lost, and how often. */
  listAskedAgain(scope: string): Promise<{ key: string; lost: number }[]>;
  /**
   * Makes a journal's file while what is to be journalled is asked for, so that the first answer need not wait for it.
   */
  prepareJournal(scope: string): void;
  /**
   * The entry is in the file when this resolves, and outlives every process; its sync comes soon after, or with
   * `synced` has come. Of two under one key the last holds.
   */
  writeJournal(key: JournalKey, entry: JournalEntry, synced?: boolean): Promise<void>;
  /** The record is there only when what it names is: once `named` has resolved. */
  writeRun(record: RunRecord, named?: Promise<unknown>): Promise<void>;
  readRun(run: string): Promise<RunRecord | null>;
  /** Ids of all closed runs that are kept; with `below` of the runs nested in that one which left a record. */
  listRuns(below?: string): Promise<string[]>;
  /** How many closed root runs are kept. */
  countRuns(): Promise<number>;
  /** Records of closed root runs in pages, the last ended first; one that cannot be read is left out. */
  closedRuns(atOnce?: number): AsyncGenerator<RunRecord[]>;
  /** Removes the record of one run, and nothing else of it. */
  forgetRun(run: string): Promise<void>;
  /** `path` is a step's path below the root run; a second try appends to the same log. */
  openLog(run: string, path: string): LogWriter;
  /**
   * Reads about a megabyte of whole lines from a byte offset of the log file; `next` is where to go on, and equals
   * `offset` at the end. Missing logs are empty.
   */
  readLog(run: string, path: string, offset: number): Promise<{ lines: LogLine[]; next: number }>;
  /** What is kept about a device: JSON under its name, or null. */
  readDevice(name: string): Promise<Json>;
  writeDevice(name: string, record: Json): Promise<void>;
  /** Absolute path of the file that is a simulated device's memory; its folder is there. */
  deviceMemory(name: string): Promise<string>;
  /** Paths that have logs, in the order in which they were first written. */
  listLogs(run: string): Promise<string[]>;
  /** Resolves when the last words of all logs that this process has closed are in their files. */
  logsWritten(): Promise<void>;
}
