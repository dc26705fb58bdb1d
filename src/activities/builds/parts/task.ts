import type { Task } from '../../../plan/builds/task.js';

/** Part 3: what is to be done, and when it is done. It begins with the task's name as the heading of the prompt. */
export function taskPart({ name, description, acceptance_criteria }: Task): string {
  const criteria = acceptance_criteria.map((criterion) => `- ${criterion}`).join('\n');
  return `# ${name}\n\n${description}\n\nIt is done when:\n${criteria}`;
}
