import type { Autonomy } from '../gates/autonomy.js';
import type { Hash } from '../values/value.js';
import type { CallHead, ShortCall } from './short-call.js';
import type { ShortOutput } from './step-output.js';

/** The call of a tool step. */
export interface ToolStepCall extends CallHead {
  /** Where the tool works: a folder, as a run carries it. */
  workspace: string;
  /** Hash of the gate at which a person allowed it. */
  allowed?: Hash;
  autonomy?: Autonomy[];
  /** It runs within a workflow task: its event names no step, so that its result must. */
  quick?: true;
  /** Nobody has looked at it: it is made where that is simply allowed, and withheld else. */
  unjudged?: true;
  /** It may have been made already, in a row. */
  again?: true;
  /** A test may say what comes of it. */
  rehearsal?: true;
}

/** Calls of steps that are made one after another within a workflow task. */
export interface ToolRow {
  calls: ShortCall<ToolStepCall>[];
}

/** A call that was made before its step started: in which try, and what came of it; null where only that tells. */
export interface MadeCall {
  tried: number;
  output: ShortOutput | null;
}
