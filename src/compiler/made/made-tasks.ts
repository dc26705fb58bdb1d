import type { MadeTask, MadeTasks } from '../../plan/agents/made-definition.js';
import { stepIdsOf } from '../../plan/builds/task.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { Plan } from '../../plan/plan.js';
import type { Agent, AgentStep } from '../../plan/step.js';
import type { Template } from '../../plan/values/expression.js';
import type { Hash } from '../../plan/values/value.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import { DEFAULT_TRY_MS, usualPolicy } from '../steps/base.js';
import { seal } from '../workflow/compile-workflow.js';

const ATTEMPTS = 3;

/**
 * The Plan of planned tasks: a step for each, which starts when those that it comes after are done, and is shown what
 * they yield. Its agents are those of the run, as its own Plan has them: no file is read again.
 */
export function compileTasks({ name, tasks, agents, budgets }: MadeTasks): { plan: Plan; texts: Texts } {
  const texts: Texts = new Map();
  const places = new Map(tasks.map(({ id }, index) => [id, index]));
  const ids = stepIdsOf(tasks);
  const steps = tasks.map((task, index) => ({
    ...stepOf(task, index, { tasks, places, texts }),
    id: ids[index] ?? task.id,
  }));
  const plan = seal({
    name,
    description: null,
    inputs: {},
    steps,
    groups: {},
    output: { kind: 'map', entries: Object.fromEntries(tasks.map(({ id }, index) => [id, outputOf(index)])) },
    budgets: { ...NO_BUDGETS, ...budgets },
    agents: reachedBy(
      tasks.map(({ agent }) => agent),
      agents,
    ),
    nested: {},
  });
  return { plan, texts };
}

interface Around {
  tasks: MadeTask[];
  places: ReadonlyMap<string, number>;
  texts: Texts;
}

function stepOf(task: MadeTask, index: number, { tasks, places, texts }: Around): Omit<AgentStep, 'id'> {
  const before = task.after.map((id) => places.get(id) ?? -1);
  const shown = before.map((place) => [`${tasks[place]?.id ?? ''}: ${tasks[place]?.name ?? ''}`, outputOf(place)]);
  return {
    kind: 'agent',
    ...usualPolicy(ATTEMPTS, DEFAULT_TRY_MS),
    index,
    needs: before.map((step) => ({ step, skip: true })),
    parallel_group: null,
    when: null,
    on_error: 'skip_dependents',
    deadline_ms: null,
    always: false,
    agent: task.agent,
    prompt: { kind: 'text', parts: [keepText(task.prompt, texts)] },
    inputs: Object.fromEntries(shown) as Record<string, Template>, // pairs of a name and a template
    model: null,
    schema: null,
    rehearsal: null,
  };
}

function outputOf(index: number): Template {
  const source = `steps[${index}].output`;
  return { kind: 'expression', expression: { kind: 'reference', root: `step:${index}.output`, path: [], source } };
}

/** Agents, and those that they may call, and so on. */
function reachedBy(hashes: Hash[], agents: Record<Hash, Agent>): Record<Hash, Agent> {
  const reached: Record<Hash, Agent> = {};
  const wanted = [...hashes];
  // What is added while it is walked is walked too.
  for (const hash of wanted) {
    const agent = agents[hash];
    if (agent === undefined || Object.hasOwn(reached, hash)) continue;
    reached[hash] = agent;
    wanted.push(...(agent.uses ?? []).flatMap((tool) => (tool.kind === 'agent' ? [tool.agent] : [])));
  }
  return reached;
}
