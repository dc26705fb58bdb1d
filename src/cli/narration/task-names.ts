import { targetDevices } from '../../plan/builds/deployment.js';
import { stepIdsOf, tasksIn } from '../../plan/builds/task.js';
import type { About } from '../../plan/narration/happening.js';
import type { Json } from '../../plan/values/json.js';
import type { Value } from '../../plan/values/value.js';
import { loadValue } from '../../store/transcript.js';
import type { Store } from '../../store/store.js';
import type { RunView, StepView } from '../observe/view/view.js';

/** What is known of a task beside its step. */
export interface TaskName extends Pick<About, 'first' | 'hardware' | 'description'> {
  name?: string;
  agent?: string;
}

/** By the paths of tasks. */
export type TaskNames = ReadonlyMap<string, TaskName>;
export const NO_NAMES: TaskName = {};

/** Planned tasks as their planner named them; null before they are known. */
export async function taskNames(view: RunView, spec: Json, store: Pick<Store, 'get'>): Promise<TaskNames | null> {
  const plan = view.steps.find(({ step, status }) => step.kind === 'plan' && status !== 'pending');
  const tasks = plan === undefined ? null : tasksIn(await loadValue(sourceOf(plan, view), store));
  if (plan === undefined || tasks === null) return null;
  const isHardware = targetDevices(spec).length > 0;
  const ids = stepIdsOf(tasks);
  return new Map(
    tasks.map(({ name, agent_name, description, dependencies }, index) => {
      const known: TaskName = {
        name,
        agent: agent_name,
        description,
        ...(isHardware ? { hardware: true as const } : {}),
        ...(dependencies.length === 0 ? { first: true as const } : {}),
      };
      return [`${plan.path}/${ids[index] ?? ''}`, known] as const;
    }),
  );
}

/** What the step that planned them has yielded. */
function sourceOf({ step }: StepView, { steps }: RunView): Value | null {
  if (step.kind !== 'plan' || step.source.kind !== 'expression' || step.source.expression.kind !== 'reference')
    return null;
  const [, index] = /^step:(\d+)\.output$/.exec(step.source.expression.root) ?? [];
  return steps[Number(index)]?.result?.output ?? null;
}
