import type { Commands, Task } from '../../../plan/builds/task.js';
import { dataBlock } from '../../../plan/text/data-block.js';

/**
 * Part 3: what is to be done, when it is done, and by which commands the project is checked after all tasks. It begins
 * with the task's name as the heading of the prompt.
 */
export function taskPart({ name, description, acceptance_criteria }: Task, commands?: Commands): string {
  const criteria = acceptance_criteria.map((criterion) => `- ${criterion}`).join('\n');
  const checks = commands === undefined ? [] : checksOf(commands);
  return [
    `# ${name}\n\n${description}\n\nIt is done when:\n${criteria}`,
    ...(checks.length === 0
      ? []
      : [
          'After all tasks the project is checked by these commands, which stay as they are:\n' +
            dataBlock('commands', checks.join('\n')),
        ]),
  ].join('\n\n');
}

function checksOf({ test_command, start_command, page }: Commands): string[] {
  return [
    ...(test_command === null ? [] : [`tests: ${test_command.join(' ')}`]),
    ...(start_command === null ? [] : [`start: ${start_command.join(' ')}`]),
    ...(page === null ? [] : [`page: ${page}`]),
  ];
}
