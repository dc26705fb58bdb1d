import type { AgentStep, Block, Step } from '../step.js';
import { rootsOf } from '../values/expression.js';
import type { Template } from '../values/expression.js';
import type { TaskRules } from '../builds/task-rules.js';

/** A step whose answer is tasks. */
export type PlanningStep = AgentStep & { tasks: TaskRules };

/** Tells whether a step's answer is tasks. */
export function plansTasks(step: Step): step is PlanningStep {
  return step.kind === 'agent' && step.tasks !== undefined;
}

/** The step that planned the tasks which a value is, itself or as a gate passes them on; null for other values. */
export function plannerOf(block: Pick<Block, 'steps'>, source: Template): PlanningStep | null {
  const [root, ...others] = rootsOf([source]);
  const index = Number(/^step:(\d+)\.output$/.exec(root ?? '')?.[1] ?? -1);
  const step = others.length === 0 ? block.steps[index] : undefined;
  if (step === undefined) return null;
  if (plansTasks(step)) return step;
  if (step.kind !== 'approval' || step.content === null) return null;
  // A gate passes on what came before it: so this ends, whatever a Plan says.
  return plannerOf({ steps: block.steps.slice(0, index) }, step.content);
}
