import type { Device } from '../devices/device.js';
import type { Plan } from '../plan.js';
import type { WorkerRecord } from '../placement/worker-record.js';
import type { Follower, FollowersChange } from '../triggers/follow.js';
import type { NarrationLine } from '../narration/record.js';
import type { HookTaken, HookWish } from '../triggers/hook-places.js';
import type { RunRecord } from '../result.js';
import type { ProgramName, ProgramSettings } from '../agents/program.js';
import type { ModelChoice } from '../agents/model-choice.js';
import type { Json, JsonObject } from '../values/json.js';
import type { Hash, Value } from '../values/value.js';

/** Workflow type by which a CLI or a worker without the store asks a worker that has it (decision 11). */
export const STORE_ACCESS = 'perdureStore';

/** Bytes of JSON that one question or answer may have at most. */
export const ACCESS_BYTES = 1024 * 1024;

/** What is asked of a store elsewhere. */
export type StoreRequest =
  /** The worker's project, and its store. */
  | { op: 'where' }
  | { op: 'get'; ref: Hash }
  /** Canonical JSON of a value of any size, from a character on. */
  | { op: 'getPart'; ref: Hash; at: number }
  /** Values as inputs of a run, or as texts of its Plan, which are stored whatever their size. */
  | { op: 'put'; values: Json[]; always: boolean }
  | { op: 'getPlan'; plan: Hash }
  | { op: 'putPlan'; plan: Plan }
  | { op: 'readRun'; run: string }
  /** With `below` the runs nested in that one which left a record. */
  | { op: 'listRuns'; below?: string }
  /** Closed root runs, the last ended first: at most so many of those after the first ones that are skipped. */
  | { op: 'closedRuns'; skip: number; most: number }
  | { op: 'readNarration'; run: string }
  | { op: 'listLogs'; run: string }
  | { op: 'readLog'; run: string; path: string; offset: number }
  /**
   * What a worker elsewhere has logged of a step. `at` is where the log ended before: what is asked again adds only
   * lines that are not there from that place on. Null asks where it ends.
   */
  | { op: 'addLog'; run: string; path: string; lines: Line[]; at: number | null }
  /** What starts when runs end. */
  | { op: 'followers' }
  /** The same after a change; a name that workers of before do not know, who would do nothing and say it is done. */
  | { op: 'changeFollowers'; change: FollowersChange }
  /** A place among those of a hook. */
  | { op: 'takeHookPlace'; hook: string; wish: HookWish }
  /** Workers of the store that are there. */
  | { op: 'listWorkers' }
  /** Whether a device that hangs on the worker's host can be used. */
  | { op: 'findDevice'; device: Device }
  /** Settles who plays the agents of a run, with the keys and the programs that the worker has. */
  | {
      op: 'choosePlayers';
      plan: Plan;
      options: JsonObject;
      providers: JsonObject;
      rehearse: boolean;
      also: string[];
      usual: ProgramName | null;
    };

/** A line of a step's log. */
export interface Line {
  at: string;
  stream: 'stdout' | 'stderr' | 'text' | 'note';
  text: string;
}

/** A device as its own host sees it: its port, or what a person can do about it. */
export interface FoundDevice {
  path: string | null;
  detail: string;
  fix: string | null;
}

/** What each request is answered with. */
export interface StoreAnswers {
  where: { root: string; id: string };
  get: Json;
  /** `next` is where to go on, null at the end. */
  getPart: { text: string; next: number | null };
  put: Value[];
  getPlan: Plan;
  putPlan: null;
  readRun: RunRecord | null;
  listRuns: string[];
  /** Fewer than are asked for where no more can be sent at once; none at the end. */
  closedRuns: RunRecord[];
  readNarration: NarrationLine[];
  listLogs: string[];
  readLog: { lines: Line[]; next: number };
  /** Where the log ends now. */
  addLog: { next: number };
  followers: Follower[];
  changeFollowers: Follower[];
  takeHookPlace: HookTaken;
  listWorkers: WorkerRecord[];
  findDevice: FoundDevice;
  choosePlayers: { models: Record<string, ModelChoice>; programs?: ProgramSettings } | { failure: string };
}
