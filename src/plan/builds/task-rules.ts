import type { Json } from '../values/json.js';
import { isObject } from '../values/json.js';

interface Task {
  id: string;
  dependencies: string[];
}

/** What is wrong with a list of tasks beside its schema: ids that are taken, dependencies that are none, cycles. */
export function taskFaults(value: Json): string[] {
  const tasks = tasksOf(value);
  const ids = new Set(tasks.map(({ id }) => id));
  const faults = tasks.flatMap(({ id }, index) =>
    tasks.findIndex((other) => other.id === id) < index ? [`two tasks have the id \`${id}\``] : [],
  );
  for (const { id, dependencies } of tasks) {
    for (const needed of dependencies)
      if (!ids.has(needed)) faults.push(`task \`${id}\` depends on \`${needed}\`, which is no task`);
  }
  const stuck = faults.length > 0 ? [] : stuckTasks(tasks);
  return stuck.length === 0
    ? faults
    : [`the dependencies of ${stuck.map((id) => `\`${id}\``).join(', ')} form a cycle`];
}

function tasksOf(value: Json): Task[] {
  const tasks = isObject(value) ? value['tasks'] : null;
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((task) => {
    if (!isObject(task) || typeof task['id'] !== 'string' || !Array.isArray(task['dependencies'])) return [];
    return [{ id: task['id'], dependencies: task['dependencies'].map(String) }];
  });
}

/** Tasks that can never start (Kahn). */
function stuckTasks(tasks: Task[]): string[] {
  let waiting = tasks;
  for (;;) {
    const open = new Set(waiting.map(({ id }) => id));
    const next = waiting.filter(({ dependencies }) => dependencies.some((needed) => open.has(needed)));
    if (next.length === waiting.length) return waiting.map(({ id }) => id);
    waiting = next;
  }
}
