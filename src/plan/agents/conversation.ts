import type { Action } from '../tools/action.js';
import type { ShortPlan } from '../packing/packed-plan.js';
import type { HookedWhen } from '../tools/hook.js';
import type { ModelChoice } from './model-choice.js';
import type { Failure, FailureType } from '../failure.js';
import type { Failures } from '../result.js';
import type { PaidBefore } from '../budget/paid-before.js';
import type { Spend } from '../budget/spend.js';
import type { Hash, Value } from '../values/value.js';
import type { ShortValue } from '../packing/short-value.js';

/**
 * A call of a tool that a model asks for, as the workflow decides about it: the arguments stay in the transcript (I7).
 */
export interface ToolRequest {
  /** As the model named it. */
  tool: string;
  /** What the call would do; absent where it can do nothing: no such tool, or arguments that do not fit. */
  action?: Action;
  /** Why the agent may not make it. One that was made may do less than its maker, as whom the workflow judges it. */
  denied?: string;
  /** It runs as a local activity, behind the journal. */
  quick?: true;
  /** Other calls of the turn do not run at the same time. */
  alone?: true;
  /** Short hash of the agent that is called, of an agent as a tool. */
  agent?: string;
  /** Hooks of the agent are about it: before it, after it, or both. */
  hooked?: HookedWhen[];
}

/**
 * How a call ended: with a stored result (its short hash), with the answer of an agent, or without having been made.
 * `unmade` is told to the model as it stands; a request without an action was refused for what its arguments say.
 */
export type CallEnd =
  | { result: string }
  | { answer: ShortValue; /** What failed in the workflow that gave it. */ partial?: string }
  | { unmade: string }
  | { refused: true };

/** What one turn came to: the model wants tools called, or this is its answer. History holds no more of it (I7). */
export interface TurnAnswer {
  /** Short hash of the transcript's last message. */
  head: string;
  /** Bytes that the next request has at least: what is reserved by (I8). */
  bytes: number;
  usd: number | null;
  tokens: number;
  calls?: ToolRequest[];
  output?: ShortValue;
  /**
   * The beginning of the transcript tells the model and the workspace: calls that have the same leave them out (I7).
   */
  opened?: true;
  /** The output is that of an earlier run (decision 14). */
  reused?: true;
  /**
   * What passed before the attempt that came to this, in epoch milliseconds: it slept until its provider might be asked
   * again, say. No time limit runs meanwhile. Absent for a first attempt.
   */
  waited?: [from: number, to: number];
}

/**
 * What a call of a tool came to. `made` are the tools that the conversation has had since, of which it made the last
 * one; `doubt`: it had begun, its worker was lost, and its effect is external. `changed`: what would be done, or how it
 * is shown, is not what a person has allowed.
 */
export type ToolAnswer =
  | { result: string; bytes: number; made?: string }
  | { doubt: true }
  | { changed: true }
  | { called: CalledAgent }
  | { starts: StartedWorkflow };

/** A workflow that was made in this run and is called: what its run is started with. */
export interface StartedWorkflow {
  plan: ShortPlan;
  inputs: Record<string, Value>;
}

/** An agent that a tool calls, as the workflow knows it: hashes are short ones. */
export interface CalledAgent {
  /** Of the stored `MadeAgent`, or of the Plan's agent. */
  agent: string;
  name: string;
  model: string | null;
  max_turns: number;
  /** Of the Plan's agent whose permissions hold for one that was made in this run; absent for one of the Plan. */
  by?: string;
  /** What it is asked, where that is more than the call's `input`: a stored text. */
  question?: string;
}

/** What a person has said to an agent while it works. */
export interface Remark {
  by: string;
  text: string;
}

/** The remarks of a conversation, in the order in which they came. */
export interface Remarks {
  all: Remark[];
  /** How many of them the model has been told. */
  told: number;
  /** The turn that tells more, and how many it has then: it tells the same however often it is tried (I8). */
  telling?: { turn: number; told: number };
}

/** A conversation that has not ended, as it travels when a run continues as new (I12): nothing of what was said. */
export interface Conversation {
  /** Short hash of the last message; null before the first. */
  head: string | null;
  /** Turns that the model has had. */
  turns: number;
  bytes: number;
  /** What the last turn asked for, and how that ended; null for what has not. */
  calls: ToolRequest[];
  ends: (CallEnd | null)[];
  /** Calls that a person has allowed, by their number in the turn. */
  allowed: Record<number, Hash>;
  /** Short hash of the chain of tools that were made in it; absent before the first. */
  made?: string;
  /** Turns in a row of whose calls none could be made, for what they say; absent for none. */
  wasted?: number;
  /** Denials since a person was last asked. */
  denials: number;
  /** The model of the first turn, where the transcript's beginning tells it. */
  opened?: ModelChoice;
  /** How long it has worked, in milliseconds: waiting for people is not counted. */
  used_ms: number;
  /** What the current try has spent, with the agents that were called. */
  spend: Spend;
  /** What its next question has cost, which was refused for want of money; absent where it was not. */
  paid?: PaidBefore;
  /**
   * Of a step's own conversation: workflows that were started in it, by whichever agent, and failed in whole or in
   * part.
   */
  below?: Failures;
  /** The interpreter's try, from 1. */
  tried: number;
  /** The try that it began with: what its calls gave is kept under that. Absent for the first. */
  began?: number;
  /** The attempt before this one; absent for the first. */
  before?: AttemptBefore;
  /** What people have said to it; absent for nothing. */
  remarks?: Remarks;
}

/** An attempt of an agent's step that came to nothing, as the next one is told of it. */
export interface AttemptBefore {
  failure: Failure;
  /** Short hash of the last message of its conversation; absent where a program played the agent. */
  head?: string;
}

/** Failures after which an agent's next try begins anew. After others it goes on with what failed. */
const ENDED: ReadonlySet<FailureType> = new Set(['turns-exceeded', 'program-failed', 'commit-conflict']);

/** Tells whether the attempt is over that ended so: the next one begins anew, and is told of it. */
export function isOver({ type }: Failure): boolean {
  return ENDED.has(type);
}

/**
 * Calls of one turn that are made. The model is told of those beyond: what one turn adds to history has a limit (I7,
 * I12).
 */
export const MOST_CALLS = 100;

/**
 * The segment of a turn, or of one of its calls, in activity ids, addresses of gates and paths of called agents: `2.0`
 * is the second question to the model, `2.1` the first call that it asks for.
 */
export function turnSegment(turn: number, call: number | null): string {
  return `${turn}.${call === null ? 0 : call + 1}`;
}

/** The path of the step that a turn, or a call, belongs to; a step's own path stays. No segment of a step has a dot. */
export function stepPathOf(path: string): string {
  return path.replace(/(\/\d+\.\d+)+$/, '');
}

/**
 * Which turn of its conversation a path names, and whether that is the step's own conversation; null for a step's path.
 */
export function turnOf(path: string): { turn: number; call: number; own: boolean } | null {
  const [, turn, call] = /\/(\d+)\.(\d+)$/.exec(path) ?? [];
  if (turn === undefined || call === undefined) return null;
  return { turn: Number(turn), call: Number(call), own: path === `${stepPathOf(path)}/${turn}.${call}` };
}
