import type { Gate, Remembered } from '../../../plan/gates/gate.js';
import type { Budgets } from '../../../plan/budget/budgets.js';
import type { Interval } from '../../../plan/budget/run-clock.js';
import type { RunStatus, StepResult, StepStatus } from '../../../plan/result.js';
import type { Charged, Spend } from '../../../plan/budget/spend.js';
import { addSpend } from '../../../plan/budget/spend.js';
import type { Pause, Warning } from '../../../plan/budget/steering.js';
import type { Step } from '../../../plan/step.js';
import type { ModelChoice } from '../../../plan/agents/model-choice.js';
import type { JsonObject } from '../../../plan/values/json.js';
import type { Hash, Text, Value } from '../../../plan/values/value.js';

/** A run as viewers see it at one moment: what every renderer draws, whatever it was read from. */
export interface RunView {
  /** Its workflow id. */
  run: string;
  /** Its path below the root run; empty for the root. */
  path: string;
  name: string;
  /** The file of its definition, relative to the project. Not told of those with a record. */
  definition?: string;
  plan: Hash;
  status: RunStatus;
  error: string | null;
  output: Value | null;
  steps: StepView[];
  /** Members of each parallel group, by step index. */
  groups: Record<string, number[]>;
  spend: Spend;
  /** Of one that has ended: what counts against its limits, where what nobody knows counts as it was reserved. */
  charged?: Charged;
  budget: Budgets;
  /** Why nothing new starts. */
  pause?: Pause | null;
  /** Its pauses that are over. */
  pauses?: Interval[];
  /** Limits of which most is used. */
  warnings?: Warning[];
  rehearsal: boolean;
  /** It is a rerun: its steps may take over results. Told of runs that are read from their history. */
  reuses?: true;
  /** Of a root run: the scope of its tree's journal (I8). */
  journal?: string;
  /** The branch that it commits to, of a run in a work tree. */
  branch?: string;
  /** What is known of the tasks that an agent of it plans. */
  planned?: PlannedTasks;
  /** Its gates take only decisions with a token. */
  requireToken?: true;
  /** Calls of tools that people have allowed for the rest of it. */
  remembered?: Remembered[];
  submittedBy: string | null;
  /** What it was started with; null where only the record's end is known. */
  input: Record<string, Value>;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number | null;
  /** It has ended, and left no record by which it could be run again. */
  unrecorded?: true;
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
  /** The first words of what it is told or asks, where no name tells more. */
  title?: string;
  /** The provider's full model id, where it is known. */
  model: string | null;
  /** Of a run that others ended nobody has written how its steps stood: they are unknown. */
  status: StepStatus | 'waiting' | 'unknown';
  startedAt: number | null;
  /** What it does at this moment, in a few words. */
  doing: string | null;
  /** The try that runs, from 1, and what Temporal counts on top of it. */
  attempt: number;
  /** Names of the steps it still waits for. */
  waitsFor: string[];
  result: StepResult | null;
  /** What its tries and turns have spent so far, and the runs that its agent has started and that have ended. */
  spent: Spend;
  gate: Gate | null;
  /** The run that does it and takes what is said or decided there, where that is a batch of the step's own. */
  owner?: string;
  /**
   * The run that is nested in it; of those that agents have started in its conversation one that is open, else the
   * last.
   */
  nested: RunView | null;
  /** The others of those: several agents that were called at the same time may each have one open. */
  others: RunView[];
  /** Items of a foreach, rounds of a loop: those that have started, in order. */
  rounds: RoundView[];
}

/** One item of a foreach, or one round of a loop, at one moment. */
export interface RoundView {
  index: number;
  /** Path below the root run. */
  path: string;
  status: StepView['status'];
  output: Value | null;
  error: string | null;
  /** Of a success: what failed in it and was passed over. */
  partial?: string;
  duration_ms: number | null;
  spend: Spend;
  /** Its body is one step that has the item's own path. */
  single: boolean;
  steps: StepView[];
}

/** The steps of a view, those of items and rounds included, outer ones first. */
export function everyStepView(steps: StepView[]): StepView[] {
  return steps.flatMap((step) => [step, ...step.rounds.flatMap((round) => everyStepView(round.steps))]);
}

/** All runs that are nested in a step. */
export function nestedIn({ nested, others }: Pick<StepView, 'nested' | 'others'>): RunView[] {
  return nested === null ? [] : [nested, ...others];
}

/** An open gate and how to name it: `<root run>/<path>`. */
export interface OpenGate {
  address: string;
  /** The run that owns it and takes decisions. */
  owner: string;
  gate: Gate;
  /** It takes only decisions with a token. Not told of gates that are only listed. */
  needsToken?: true;
  /** What is known of the tasks that it may show. */
  planned?: PlannedTasks;
}

/** What tells one opening of a gate from every other: sent back, a gate may ask the same again. */
export function openingOf({ address, gate }: OpenGate): string {
  return `${address} ${gate.since} ${gate.hash}`;
}

/** Every open gate of a tree, in the order of the plan. */
export function openGates(view: RunView): OpenGate[] {
  const root = rootOf(view.run);
  return gatesBelow(view, root, undefined);
}

/** A nested run may show tasks that were planned around it. */
function gatesBelow(view: RunView, root: string, around: PlannedTasks | undefined): OpenGate[] {
  const planned = view.planned ?? around;
  return everyStepView(view.steps).flatMap((step) => {
    const own =
      step.gate === null
        ? []
        : [
            {
              address: `${root}/${step.gate.path}`,
              owner: step.owner ?? view.run,
              gate: step.gate,
              ...(view.requireToken ? { needsToken: true as const } : {}),
              ...(planned === undefined ? {} : { planned }),
            },
          ];
    return [...own, ...nestedIn(step).flatMap((run) => gatesBelow(run, root, planned))];
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

/**
 * What a step has spent: what its tries, turns, nested runs and rounds spend counts from the moment it is spent, not
 * only when it ends.
 */
export function spendOf(step: StepView): Spend {
  if (step.result !== null) return step.result.spend;
  // What agents have started and what has ended is in what the step itself has spent.
  const open = nestedIn(step).filter(({ status }) => step.step.kind !== 'agent' || !isClosed(status));
  return [...open, ...step.rounds].reduce((sum, below) => addSpend(sum, below.spend), step.spent);
}

/** Tells whether a run in this status will not change any more. */
export function isClosed(status: RunStatus): boolean {
  return status !== 'running' && status !== 'waiting' && status !== 'paused';
}

/** What a viewer knows of the tasks that an agent of a run plans, beside what that agent says of them. */
export interface PlannedTasks {
  team: PlannedMember[];
  /** The build spec that they are for, as JSON; null where there is none. */
  spec: Text | null;
}

/** Somebody whom tasks are for. */
export interface PlannedMember {
  name: string;
  role: string;
  /** The model that it is; null where a program plays it. */
  model: ModelChoice | null;
  /** How often it is asked within one try; absent for what builds have. */
  turns?: number;
  /** Bytes of its instruction; absent where the spec says it. */
  told?: number;
  /** Settings of its model; absent where it has none. */
  params?: JsonObject;
}
