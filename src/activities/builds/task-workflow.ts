import type { Json } from '../../plan/values/json.js';
import type { Made } from '../../plan/agents/made-definition.js';
import type { Budgets } from '../../plan/budget/budgets.js';
import { taskFaults } from '../../plan/builds/task-rules.js';
import type { Task } from '../../plan/builds/task.js';
import { tasksIn } from '../../plan/builds/task.js';
import type { Member, Role } from '../../plan/builds/build-spec.js';
import { teamOf } from '../../plan/builds/build-spec.js';
import type { Earlier } from './context-steps.js';
import { contextSteps } from './context-steps.js';
import { beforePart } from './parts/before.js';
import { manifestPart } from './parts/manifest.js';
import { taskPrompt } from './prompts.js';
import { agentName, agentText } from './task-agent.js';

/** What carries out one task of a build: limit of a try, and tries in all. */
const TASK = { timeout: '300s', attempts: 3 };

/**
 * A workflow and its agents, made of the tasks of a build: one agent's step for each task, which is told what those
 * before it did; `earlier` is what a build came to that they work on after its end.
 */
export function madeOfTasks(
  source: Json,
  spec: Json,
  budgets: Budgets,
  earlier?: Earlier,
): Made | { problems: string } {
  const tasks = tasksIn(source);
  if (tasks === null)
    return { problems: 'Expected {tasks: [{id, name, description, acceptance_criteria, dependencies, agent_name}]}.' };
  const team = teamOf(spec);
  const faults = [
    ...taskFaults(source),
    ...tasks.flatMap(({ id, agent_name }) =>
      team.some(({ name }) => name === agent_name)
        ? []
        : [`task \`${id}\` is for \`${agent_name}\`, who is no agent of the spec`],
    ),
  ];
  if (faults.length > 0) return { problems: faults.join('\n') };
  const ids = new Map(tasks.map(({ id }, index) => [id, idFor(id, index)]));
  const agents = team.map((member, index) => ({
    file: `generated/${agentName(member.name, index)}.yml`,
    text: agentText(member, index, { spec, team }),
  }));
  const workflow = {
    name: 'tasks',
    description: 'The tasks of a build.',
    execution: 'dag',
    budgets: Object.fromEntries(Object.entries(budgets).filter(([, limit]) => limit !== null)),
    steps: tasks.flatMap((task) => stepsFor(task, { tasks, ids, team, spec, earlier })),
    output: Object.fromEntries(tasks.map(({ id }) => [id, `\${steps.${ids.get(id) ?? ''}.output}`])),
  };
  return {
    file: 'generated/tasks.yml',
    text: JSON.stringify(workflow),
    agents: Object.fromEntries(agents.map(({ file, text }) => [file, text])),
    own: true,
  };
}

/** What the steps of all tasks are made from. */
interface Build {
  tasks: Task[];
  /** Ids of steps by those of tasks. */
  ids: ReadonlyMap<string, string>;
  team: Member[];
  spec: Json;
  earlier: Earlier | undefined;
}

/** What a task becomes: its own step, and those around it that gather and keep its context. */
function stepsFor(task: Task, { tasks, ids, team, spec, earlier }: Build): object[] {
  const index = team.findIndex(({ name }) => name === task.agent_name);
  const member = team[index] ?? { name: task.agent_name, role: 'builder', persona: '' }; // `madeOfTasks` looked
  const roleOf = (one: Task): Role => team.find(({ name }) => name === one.agent_name)?.role ?? 'builder';
  const { gather, keep } = contextSteps(task, { tasks, ids, roleOf, earlier });
  const own = {
    id: ids.get(task.id),
    agent: agentName(member.name, index),
    prompt: taskPrompt({
      task,
      member,
      spec,
      before: beforePart(gather?.id ?? null),
      manifest: manifestPart(gather?.id ?? null),
      tests: member.role === 'tester' || earlier !== undefined,
    }),
    needs: [...task.dependencies.map((needed) => ids.get(needed)), ...(gather === null ? [] : [gather.id])],
    timeout: TASK.timeout,
    retry: { attempts: TASK.attempts },
  };
  return [...(gather === null ? [] : [gather]), own, keep];
}

function idFor(id: string, index: number): string {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/.test(id) ? id : `task_${index + 1}`;
}
