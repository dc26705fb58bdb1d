import type { AliveLog } from './alive-log.js';
import type { ApprovalKey } from './approval-key.js';
import type { Writing } from './files.js';
import type { MadeFiles } from './made-files.js';
import type { MemoryFiles } from './memory-files.js';
import type { ProviderFiles } from './provider-files.js';
import type { SessionFiles } from './session-files.js';
import type { RecordedFiles } from './recorded-files.js';
import type { Snapshots } from './snapshots.js';
import type { SubmittedFiles } from './submitted-files.js';
import type { TaintFiles } from './taint-files.js';
import type { Json } from '../plan/json.js';
import type { Plan } from '../plan/plan.js';
import type { RunRecord } from '../plan/result.js';
import type { Hash, StoredValue, Text, Value } from '../plan/value.js';

/** Which answer of which tree of runs (I8). */
export interface JournalKey {
  /** `RootLink.first`: one file for each. */
  scope: string;
  /** Unique in the scope: canonical JSON of the step's path, the interpreter's try, and what tells its calls apart. */
  key: string;
}

/** What a call was answered, kept so that nothing is paid or done twice (I8). */
export interface JournalEntry {
  /** SHA-256 of the canonical request; a hit with another hash is a failure, never an answer. */
  request: Hash;
  /** The answer, as whoever asked wants it back. */
  response: Json;
  /** ISO 8601, UTC. */
  at: string;
}

/** One piece of what an agent or a command wrote. */
export interface LogLine {
  /** ISO 8601, UTC. */
  at: string;
  stream: 'stdout' | 'stderr' | 'text' | 'note';
  text: string;
}

/** An open log of one try of one step. Writes are ordered. */
export interface LogWriter {
  /** `at` is now when left out. */
  write(stream: LogLine['stream'], text: string, at?: string): void;
  /**
   * The same for words that are kept elsewhere too, as a model's are in the journal: unless something is written after
   * them, they get into the file when what the step came to is on its way. Nobody waits for them, and none is told if
   * they do not.
   */
  writeLast(stream: LogLine['stream'], text: string, at?: string): void;
  close(): Promise<void>;
}

/**
 * Everything that outlives a process but is no history: content-addressed values, the call journal, closed runs, logs.
 * One implementation: a local folder (`.perdure/`), see `local-store.ts`. What `put*` returned is on disk: written,
 * synced and renamed (I6).
 */
export interface Store
  extends
    AliveLog,
    ApprovalKey,
    MadeFiles,
    ProviderFiles,
    SessionFiles,
    MemoryFiles,
    RecordedFiles,
    Snapshots,
    SubmittedFiles,
    TaintFiles {
  /** Random, made with the folder; names the task queue (decision 11). */
  id: string;
  /**
   * State folder of the store that this one is a copy of, which goes on with the runs that were open; null of any
   * other.
   */
  copiedFrom: string | null;
  /** The state folder, where it is on this machine: no tool of an agent sees anything of it. */
  folder: string | null;
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
  /** Every key of a journal with its last entry, in the order in which they came. */
  listJournal(scope: string): Promise<[key: string, entry: JournalEntry][]>;
  /**
   * Makes a journal's file while what is to be journalled is asked for, so that the first answer need not wait for it.
   */
  prepareJournal(scope: string): void;
  /**
   * The entry is in the file when this resolves, and outlives every process; its sync comes soon after. Of two under
   * one key the last holds.
   */
  writeJournal(key: JournalKey, entry: JournalEntry): Promise<void>;
  /** The record is there only when what it names is: once `named` has resolved. */
  writeRun(record: RunRecord, named?: Promise<unknown>): Promise<void>;
  readRun(run: string): Promise<RunRecord | null>;
  /** Ids of all closed runs that are kept; with `below` of the runs nested in that one which left a record. */
  listRuns(below?: string): Promise<string[]>;
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
