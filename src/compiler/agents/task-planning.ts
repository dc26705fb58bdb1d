import type { Json } from '../../plan/values/json.js';
import { MOST_TASKS } from '../../plan/builds/task.js';
import { COMPLEXITIES } from '../../plan/builds/clean-tasks.js';

/** What whoever plans tasks is told of them, whatever they are for. */
export const TASK_RULES = [
  '- There are 4 to 12 tasks. Each is done by one agent in one to five minutes and says exactly what is done; nothing',
  '  vague such as "polish".',
].join('\n');

/** What an agent of a workflow is told that plans tasks for others. */
export function planningText(team: { name: string; role: string; description: string }[]): string {
  const members = team.map(({ name, role, description }) => `  - \`${name}\` (${role}): ${description}`);
  return `Answer with the tasks that do this.

${TASK_RULES}
- The first task prepares what all others need. It is for a builder and depends on nothing. All others depend on it,
  directly or not.
- The last task looks at the whole, and depends on all others, directly or not. Where there is a tester or a reviewer it
  is for one of them.
- Each has acceptance criteria that somebody else can check.
- A task names in \`dependencies\` the ids of those that must be done before it. Tasks that do not need each other do
  not depend on each other. There are no cycles.
- \`agent_name\` is one of these. Testers test and reviewers review what others have done before; each has a task.
${members.join('\n')}`;
}

/** JSON Schema of a planner's answer; with `commands` it says how the result is tested and started, too. */
export function tasksSchema(agents: string[], { commands }: { commands: boolean }): Json {
  const words = { type: 'array', items: { type: 'string' } };
  const command = { type: ['array', 'null'], items: { type: 'string' }, minItems: 1 };
  return {
    type: 'object',
    properties: {
      tasks: {
        type: 'array',
        minItems: 1,
        maxItems: MOST_TASKS,
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', description: 'task-1, task-2, …' },
            name: { type: 'string' },
            description: { type: 'string' },
            acceptance_criteria: { ...words, minItems: 1 },
            dependencies: { ...words, description: 'ids of tasks' },
            agent_name: { enum: agents },
            complexity: { enum: [...COMPLEXITIES] },
            ...(commands
              ? { requirement_ids: { ...words, description: 'ids of the requirements that it is for' } }
              : {}),
          },
          required: ['id', 'name', 'description', 'acceptance_criteria', 'dependencies', 'agent_name', 'complexity'],
          additionalProperties: false,
        },
      },
      plan_explanation: { type: 'string' },
      ...(commands ? { test_command: command, start_command: command, page: { type: ['string', 'null'] } } : {}),
    },
    required: ['tasks', 'plan_explanation', ...(commands ? ['test_command', 'start_command', 'page'] : [])],
    additionalProperties: false,
  };
}
