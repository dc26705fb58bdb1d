import type { JsonObject } from '../values/json.js';
import type { Hash, Value } from '../values/value.js';
import type { RunSettings, RunInput } from '../run-input.js';
import type { Template } from '../values/expression.js';

/** The workflow type that starts a run for which no command line is there. */
export const STARTER = 'perdureStart';

/** Ids of all that starts runs begin so; no run's id does. */
export const STARTER_PREFIX = 'start/';

/**
 * A run but for its input and what only its moment knows: settled when its trigger was synced, and kept as a stored
 * value.
 */
export interface PreparedRun {
  /** The definition's name. */
  definition: string;
  plan: Hash;
  /** What it is given; `input:event` in it is what started it. */
  inputs: Record<string, Template>;
  settings: RunSettings;
  /** Files that it was compiled from: none is removed while it is open. */
  files: string[];
  /** Of the workspace, from its root, what its agents must not write beside what rules protect; absent for nothing. */
  kept?: string[];
  /** The workspace is kept as the run finds it. */
  snapshot: boolean;
  /** How many memories its agents are told. */
  memories: number;
}

/** The one argument of the starter. */
export interface StartCall {
  /** A stored `PreparedRun`. */
  prepared: Hash;
  /** What started it; absent for a schedule, whose moment the server says. */
  event?: Value;
}

/** What a schedule is made of, beside what the server knows of it: kept in the argument that it starts runs with. */
export interface ScheduledCall extends StartCall {
  schedule: {
    definition: string;
    /** From the project's root. */
    file: string;
    /** Whose it is, of several projects that have one store. */
    project: string;
    /** Hash of schedule and Plan: another one means that the definition was changed. */
    source: Hash;
    /** Hash of all that its runs are started with. */
    settled: Hash;
  };
}

/** A run that is about to be started, and all that the server is told of it. */
export interface BegunRun {
  run: string;
  input: RunInput;
  summary: string;
  details: { staticDetails?: string };
  memo: JsonObject;
  /** Absent where the server does not know them. */
  attributes?: Record<string, string>;
}

/** How a starter ends: as the run that it started. */
export interface StartedRun {
  run: string;
  /** `joined`: the run was started before, for the same event. */
  status: string;
}
