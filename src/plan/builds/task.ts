import { ID } from '../names.js';
import type { Json } from '../values/json.js';
import { isObject } from '../values/json.js';

/** How many tasks a planner may answer; 4 to 12 are asked for. */
export const MOST_TASKS = 15;

/** A task, as its planner answers and a person approves. */
export interface Task {
  id: string;
  name: string;
  description: string;
  acceptance_criteria: string[];
  dependencies: string[];
  agent_name: string;
  complexity?: string;
  /** Ids of the spec's requirements that it is for. */
  requirement_ids?: string[];
}

/** How a result is tested and started, as a planner answers and a person approves. */
export interface Commands {
  /** The command that runs the project's tests, word by word; null where there is nothing to test with. */
  test_command: string[] | null;
  /** The command that starts what was built; null where nothing is started. */
  start_command: string[] | null;
  /** A page that a browser opens, from the project's folder; null where there is none. */
  page: string | null;
}

/** What `tasksIn` reads, in words. */
export const TASKS_SHAPE = '{tasks: [{id, name, description, acceptance_criteria, dependencies, agent_name}]}';

/** The tasks of a planner's answer `{tasks: […]}`; null when it is none. */
export function tasksIn(source: Json): Task[] | null {
  const tasks = isObject(source) ? source['tasks'] : null;
  if (!Array.isArray(tasks) || tasks.length === 0) return null;
  return tasks.every(isTask) ? (tasks as unknown as Task[]) : null; // isTask looked at each
}

function isTask(task: Json): boolean {
  if (!isObject(task)) return false;
  return (
    ['id', 'name', 'description', 'agent_name'].every((key) => typeof task[key] === 'string') &&
    isTexts(task['acceptance_criteria']) &&
    isTexts(task['dependencies'])
  );
}

/** Tells whether a value is a list of texts. */
export function isTexts(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Steps of a build that are no tasks. */
const TAKEN = /^(?:begun|tests|start|go_on_\d+|deploy_\w+)$/;

/**
 * The ids of tasks' steps, in the order of the tasks: a task's own where steps may have it and no other step of a build
 * does, else `task_N` by its place, or the next N that no task has.
 */
export function stepIdsOf(tasks: Pick<Task, 'id'>[]): string[] {
  const used = new Set(tasks.map(({ id }) => id));
  return tasks.map(({ id }, index) => {
    if (ID.test(id) && !TAKEN.test(id)) return id;
    let number = index + 1;
    while (used.has(`task_${number}`)) number += 1;
    used.add(`task_${number}`);
    return `task_${number}`;
  });
}
