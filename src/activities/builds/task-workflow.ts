import type { Json } from '../../plan/values/json.js';
import type { Made } from '../../plan/agents/made-definition.js';
import type { Budgets } from '../../plan/budget/budgets.js';
import { taskFaults } from '../../plan/builds/task-rules.js';
import type { Task } from '../../plan/builds/task.js';
import { tasksIn } from '../../plan/builds/task.js';
import { taskPrompt } from './task-prompt.js';
import { agentName, agentText, teamOf } from './task-agent.js';

/** What carries out one task of a build: limit of a try, and tries in all. */
const TASK = { timeout: '300s', attempts: 3 };

/**
 * A workflow and its agents, made of the tasks of a build: one agent's step for each task, which is told what those
 * before it did.
 */
export function madeOfTasks(source: Json, spec: Json, budgets: Budgets): Made | { problems: string } {
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
    text: agentText(member, index, spec),
  }));
  const workflow = {
    name: 'tasks',
    description: 'The tasks of a build.',
    execution: 'dag',
    budgets: Object.fromEntries(Object.entries(budgets).filter(([, limit]) => limit !== null)),
    steps: tasks.map((task) =>
      stepFor(task, tasks, {
        ids,
        agent: agentName(
          task.agent_name,
          team.findIndex(({ name }) => name === task.agent_name),
        ),
      }),
    ),
    output: Object.fromEntries(tasks.map(({ id }) => [id, `\${steps.${ids.get(id) ?? ''}.output}`])),
  };
  return {
    file: 'generated/tasks.yml',
    text: JSON.stringify(workflow),
    agents: Object.fromEntries(agents.map(({ file, text }) => [file, text])),
    own: true,
  };
}

function stepFor(task: Task, tasks: Task[], { ids, agent }: { ids: Map<string, string>; agent: string }): object {
  return {
    id: ids.get(task.id),
    agent,
    prompt: taskPrompt(task, tasks, ids),
    needs: task.dependencies.map((needed) => ids.get(needed)),
    timeout: TASK.timeout,
    retry: { attempts: TASK.attempts },
  };
}

function idFor(id: string, index: number): string {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/.test(id) ? id : `task_${index + 1}`;
}
