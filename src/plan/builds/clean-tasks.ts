import type { Json, JsonObject } from '../values/json.js';
import { isObject } from '../values/json.js';
import { buildsThings } from './build-spec.js';
import type { Commands } from './task.js';
import { isTexts } from './task.js';
import type { TaskRules } from './task-rules.js';

const TASK_KEYS = [
  'id',
  'name',
  'description',
  'acceptance_criteria',
  'dependencies',
  'agent_name',
  'complexity',
  'requirement_ids',
];
/** How long a task may take its agent. */
export const COMPLEXITIES: readonly Json[] = ['simple', 'medium', 'complex'];
const COMPILES = 'The code compiles for the device.';

/**
 * A planner's answer with what it left out, and without keys that nothing reads. What is no such answer stays as it is:
 * its schema tells what is wrong.
 */
export function cleanTasks(answer: Json, rules: TaskRules): Json {
  if (!isObject(answer) || !Array.isArray(answer['tasks'])) return answer;
  const { plan_explanation = '' } = answer;
  const tasks = answer['tasks'].map((task) => (isObject(task) ? cleanTask(task, rules) : task));
  const { commands, fixed } = rules;
  return { tasks, plan_explanation, ...(commands === null ? {} : { ...cleanCommands(answer, commands), ...fixed }) };
}

function cleanCommands({ test_command, start_command, page }: JsonObject, usual: Commands): JsonObject {
  return {
    test_command: isTexts(test_command) && test_command.length > 0 ? test_command : usual.test_command,
    ...started(start_command, page, usual),
  };
}

/** A page or a command; what the spec's kind of thing has where neither is named. */
function started(command: Json | undefined, page: Json | undefined, usual: Commands): JsonObject {
  if (isTexts(command) && command.length > 0) return { start_command: command, page: null };
  if (typeof page === 'string' && page !== '') return { start_command: null, page };
  return { start_command: usual.start_command, page: usual.page };
}

function cleanTask(task: JsonObject, { team, hardware }: TaskRules): JsonObject {
  const kept = Object.fromEntries(Object.entries(task).filter(([key]) => TASK_KEYS.includes(key)));
  const { acceptance_criteria: criteria } = kept;
  const role = team.find(({ name }) => name === kept['agent_name'])?.role;
  const compiles = hardware && buildsThings(role) && isTexts(criteria);
  return {
    ...kept,
    complexity: COMPLEXITIES.includes(kept['complexity'] ?? null) ? (kept['complexity'] ?? null) : 'medium',
    ...(compiles && !criteria.some((one) => /compil/i.test(one))
      ? { acceptance_criteria: [...criteria, COMPILES] }
      : {}),
  };
}
