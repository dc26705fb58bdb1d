import { workflowInfo } from '@temporalio/workflow';
import type { BindingSource } from '../plan/bindings.js';
import { unpackPlan } from '../plan/pack.js';
import type { Plan } from '../plan/plan.js';
import { joinPath, segmentOf } from '../plan/plan.js';
import type { ModelChoice, RootLink, RunInput, RunSettings } from '../plan/run-input.js';
import type { Schedule } from '../plan/schedule.js';
import type { Step } from '../plan/step.js';
import type { Hash, Value } from '../plan/value.js';
import type { GateBook } from './gates.js';

/** What one run of the interpreter knows; made once, handed to everything below. */
export interface RunContext {
  plan: Plan;
  /** The nested body's hash in the root's Plan; null in a root run. */
  nested: Hash | null;
  root: RootLink;
  /** This run's workflow id. */
  run: string;
  /** This run's path below its root. */
  path: string;
  input: Record<string, Value>;
  settings: RunSettings;
  schedule: Schedule;
  gates: GateBook;
  /** Why the run is being cancelled, or null. */
  cancelled: string | null;
  /** ISO 8601, UTC. */
  startedAt: string;
  /** Pages of results that earlier runs of the chain wrote. */
  pages: Value[];
}

/** The facts of a run that follow from its start arguments. */
export function identityOf(input: RunInput): Pick<RunContext, 'plan' | 'nested' | 'root' | 'run' | 'path' | 'input' | 'settings'> {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const root = input.root ?? { run: workflowId, first: firstExecutionRunId, plan: input.plan.hash };
  return {
    plan: unpackPlan(input.plan),
    nested: input.root === null ? null : input.plan.hash,
    root,
    run: workflowId,
    path: input.path,
    input: input.input,
    settings: input.settings,
  };
}

/** A step's path below the root run. */
export function pathOf(context: RunContext, step: Step): string {
  return joinPath(context.path, segmentOf(step));
}

export function sourceOf(context: RunContext): BindingSource {
  return { schedule: context.schedule, agents: context.plan.agents, input: context.input };
}

/** The model that the submitter chose for a name as definitions write it. */
export function modelFor(context: RunContext, name: string | null): ModelChoice {
  const choice = context.settings.models[name ?? ''];
  if (choice === undefined) throw new Error(`The run's settings choose no model for \`${name ?? ''}\``);
  return choice;
}
