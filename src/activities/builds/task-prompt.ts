import type { Task } from '../../plan/builds/task.js';
import { tasksBefore } from '../../plan/builds/task.js';
import { literalText } from '../../plan/values/expression.js';

/**
 * The prompt of a task's step, a template: the task, its criteria, and what was done before. `ids` are the steps' ids by
 * those of tasks.
 */
export function taskPrompt(task: Task, tasks: Task[], ids: ReadonlyMap<string, string>): string {
  const criteria = task.acceptance_criteria.map((criterion) => `- ${criterion}`).join('\n');
  const own = literalText(`# ${task.name}\n\n${task.description}\n\nIt is done when:\n${criteria}`);
  const before = tasksBefore(task, tasks).map(
    ({ id, name }) =>
      `\n\n<task id="${literalText(id)}" name="${literalText(name)}">\n\${steps.${ids.get(id) ?? ''}.output ` +
      `?? "It did not succeed."}\n</task>`,
  );
  return before.length === 0 ? own : `${own}\n\nWhat was done before, as those said who did it:${before.join('')}`;
}
