import type { Json } from '../values/json.js';
import { isObject } from '../values/json.js';

/** A task of a build, as its planner answers and a person approves. */
export interface Task {
  id: string;
  name: string;
  description: string;
  acceptance_criteria: string[];
  dependencies: string[];
  agent_name: string;
}

/** The tasks of a planner's answer `{tasks: […]}`; null when it is none. */
export function tasksIn(source: Json): Task[] | null {
  const tasks = isObject(source) ? source['tasks'] : null;
  if (!Array.isArray(tasks) || tasks.length === 0) return null;
  return tasks.every(isTask) ? (tasks as unknown as Task[]) : null; // isTask looked at each
}

function isTask(task: Json): boolean {
  if (!isObject(task)) return false;
  const isTexts = (value: Json | undefined): boolean =>
    Array.isArray(value) && value.every((one) => typeof one === 'string');
  return (
    ['id', 'name', 'description', 'agent_name'].every((key) => typeof task[key] === 'string') &&
    isTexts(task['acceptance_criteria']) &&
    isTexts(task['dependencies'])
  );
}
