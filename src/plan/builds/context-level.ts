import type { Role } from './build-spec.js';
import type { Task } from './task.js';

/**
 * How much a task is told of what happened before: 1 the spec alone; 2 what the first tasks did, and the files; 3 what
 * all before it did, and the files; 4 the reviews as well; 5 the results of tests and what was built as well.
 */
export type ContextLevel = 1 | 2 | 3 | 4 | 5;

type Before = Pick<Task, 'id' | 'dependencies'>;

/** The level of a task in its build; 5 is for those who work after the tests, which no task of a plan does. */
export function levelOf(task: Before, tasks: Before[], role: Role): Exclude<ContextLevel, 5> {
  if (task.dependencies.length === 0) return 1;
  if (role === 'tester' || role === 'reviewer') return 4;
  const after = tasksOf(task.dependencies, tasks);
  return after.every(({ dependencies }) => dependencies.length === 0) ? 2 : 3;
}

/** All tasks that a task comes after: those that it names first, then those that these come after, each once. */
export function predecessorsOf<T extends Before>(task: Before, tasks: T[]): T[] {
  const found: T[] = [];
  let next = tasksOf(task.dependencies, tasks);
  while (next.length > 0) {
    const fresh = next.filter(({ id }, index) => !found.some((one) => one.id === id) && isFirst(next, id, index));
    found.push(...fresh);
    next = fresh.flatMap(({ dependencies }) => tasksOf(dependencies, tasks));
  }
  return found.filter(({ id }) => id !== task.id);
}

function isFirst(all: { id: string }[], id: string, index: number): boolean {
  return all.findIndex((one) => one.id === id) === index;
}

function tasksOf<T extends Before>(ids: string[], tasks: T[]): T[] {
  return ids.flatMap((id) => tasks.find((task) => task.id === id) ?? []);
}
