import type { Gate } from '../../plan/gate.js';
import type { Budgets } from '../../plan/plan.js';
import type { RunStatus, Spend, StepResult, StepStatus } from '../../plan/result.js';
import type { Step } from '../../plan/step.js';
import type { Hash, Value } from '../../plan/value.js';

/** A run as viewers see it at one moment: what every renderer draws, whatever it was read from. */
export interface RunView {
  /** Its workflow id. */
  run: string;
  /** Its path below the root run; empty for the root. */
  path: string;
  name: string;
  plan: Hash;
  status: RunStatus;
  error: string | null;
  output: Value | null;
  steps: StepView[];
  /** Members of each parallel group, by step index. */
  groups: Record<string, number[]>;
  spend: Spend;
  budget: Budgets;
  rehearsal: boolean;
  submittedBy: string | null;
  /** What it was started with; null where only the record's end is known. */
  input: Record<string, Value>;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number | null;
  /** A cancel was asked for and has not come through yet. */
  cancelling: boolean;
}

/** One step of a run at one moment. */
export interface StepView {
  /** Path below the root run. */
  path: string;
  step: Step;
  /** Agent's or workflow's name, executable, or kind. */
  actor: string;
  /** The provider's full model id, where it is known. */
  model: string | null;
  status: StepStatus | 'waiting';
  startedAt: number | null;
  /** What it does at this moment, in a few words. */
  doing: string | null;
  /** The try that runs, from 1, and what Temporal counts on top of it. */
  attempt: number;
  /** Names of the steps it still waits for. */
  waitsFor: string[];
  result: StepResult | null;
  gate: Gate | null;
  nested: RunView | null;
}

/** An open gate and how to name it: `<root run>/<path>`. */
export interface OpenGate {
  address: string;
  /** The run that owns it and takes decisions. */
  owner: string;
  gate: Gate;
}

/** Every open gate of a tree, in the order of the plan. */
export function openGates(view: RunView): OpenGate[] {
  const root = rootOf(view.run);
  return gatesBelow(view, root);
}

function gatesBelow(view: RunView, root: string): OpenGate[] {
  return view.steps.flatMap((step) => {
    const own = step.gate === null ? [] : [{ address: `${root}/${step.gate.path}`, owner: view.run, gate: step.gate }];
    return step.nested === null ? own : [...own, ...gatesBelow(step.nested, root)];
  });
}

/** The root of the tree that a run, a step or a gate belongs to: run ids hold no slash. */
export function rootOf(address: string): string {
  return address.split('/', 1)[0] ?? address;
}

/** The path of an address below its root run; empty for the root itself. */
export function pathBelow(address: string): string {
  return address.slice(rootOf(address).length + 1);
}

/** Whether a run in this status will not change any more. */
export function isClosed(status: RunStatus): boolean {
  return status !== 'running' && status !== 'waiting' && status !== 'paused';
}
