import type { Json } from '../values/json.js';
import type { Hash } from '../values/value.js';
import { buildsThings } from './build-spec.js';
import type { Commands, Task } from './task.js';
import { predecessorsOf } from './context-level.js';
import { tasksIn } from './task.js';

/** What planned tasks must satisfy beside their schema, from the spec of their build or the step that plans them. */
export interface TaskRules {
  /** Who they may be for; `agent` is a key into `Plan.agents`, where it is one of the project's. */
  team: { name: string; role: string; agent?: Hash }[];
  /** Somebody of the team tests, and tests are wanted. */
  tested: boolean;
  reviewed: boolean;
  /** Code for a device: each builder's task has the criterion that it compiles. */
  hardware: boolean;
  /** Ids of the spec's requirements: each has a task. */
  requirements: string[];
  /** What stands in for the commands that an answer leaves out; null where nothing is tested and started after them. */
  commands: Commands | null;
  /** Commands that the spec names: no answer changes them. */
  fixed: Partial<Commands>;
}

/** Ids that are taken, dependencies that are none, and cycles, each in a sentence. */
export function taskFaults(value: Json): string[] {
  const tasks = tasksIn(value) ?? [];
  const ids = new Set(tasks.map(({ id }) => id));
  const faults = tasks.flatMap(({ id }, index) =>
    tasks.findIndex((other) => other.id === id) < index ? [`two tasks have the id \`${id}\``] : [],
  );
  for (const { id, dependencies } of tasks) {
    for (const needed of dependencies) {
      if (needed === id) faults.push(`task \`${id}\` depends on itself`);
      else if (!ids.has(needed)) faults.push(`task \`${id}\` depends on \`${needed}\`, which is no task`);
    }
  }
  const stuck = faults.length > 0 ? [] : stuckTasks(tasks);
  return stuck.length === 0 ? faults : [`the dependencies of ${listed(stuck)} form a cycle`];
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

/** What `taskFaults` finds, and tasks for agents that the team does not have, each in a sentence. */
export function teamFaults(value: Json, team: { name: string }[]): string[] {
  const unknown = (tasksIn(value) ?? []).filter(({ agent_name }) => !team.some(({ name }) => name === agent_name));
  return [
    ...taskFaults(value),
    ...unknown.map(({ id, agent_name }) => `task \`${id}\` is for \`${agent_name}\`, who is no agent of the spec`),
  ];
}

/** Everything that is wrong with the tasks of a build, each in a sentence for who planned them. */
export function planFaults(value: Json, rules: TaskRules): string[] {
  const faults = teamFaults(value, rules.team);
  if (faults.length > 0) return faults;
  const tasks = tasksIn(value) ?? [];
  const graph = { tasks, rules, roleOf: roles(rules) };
  return [...shapeFaults(graph), ...roleFaults(graph), ...wordFaults(graph), ...coverageFaults(graph)];
}

interface Graph {
  tasks: Task[];
  rules: TaskRules;
  roleOf: (task: Task) => string;
}

function roles({ team }: TaskRules): Graph['roleOf'] {
  const byName = new Map(team.map(({ name, role }) => [name, role]));
  return ({ agent_name }) => byName.get(agent_name) ?? 'builder';
}

/** One task is first and one is last: in a graph without cycles all depend on the one, and the other on all. */
function shapeFaults({ tasks, rules, roleOf }: Graph): string[] {
  const first = tasks.filter(({ dependencies }) => dependencies.length === 0);
  const needed = new Set(tasks.flatMap(({ dependencies }) => dependencies));
  const last = tasks.filter(({ id }) => !needed.has(id));
  const faults: string[] = [];
  if (first.length > 1)
    faults.push(
      `${listed(first.map(({ id }) => id))} depend on nothing: one task sets the project up, and all others depend ` +
        `on it`,
    );
  if (last.length > 1)
    faults.push(`nothing depends on ${listed(last.map(({ id }) => id))}: the last task depends on all others`);
  const [root] = first;
  if (first.length === 1 && root !== undefined && tasks.length > 1 && !buildsThings(roleOf(root)))
    faults.push(`task \`${root.id}\` is the first and is for a ${roleOf(root)}: a builder sets the project up`);
  const [end] = last;
  if (last.length === 1 && end !== undefined && (rules.tested || rules.reviewed) && buildsThings(roleOf(end)))
    faults.push(
      `task \`${end.id}\` is the last and is for a ${roleOf(end)}: a tester or a reviewer looks at the whole`,
    );
  return faults;
}

/** Tests and reviews have their tasks, after what they are about, and nobody reviews what they built. */
function roleFaults({ tasks, rules, roleOf }: Graph): string[] {
  const missing = (['tester', 'reviewer'] as const).filter(
    (role) => (role === 'tester' ? rules.tested : rules.reviewed) && !tasks.some((task) => roleOf(task) === role),
  );
  return [
    ...missing.map((role) => `no task is for a ${role}`),
    ...tasks.flatMap((task) => {
      const role = roleOf(task);
      const before = predecessorsOf(task, tasks);
      if (!buildsThings(role) && !before.some((other) => buildsThings(roleOf(other))))
        return [`task \`${task.id}\` is for a ${role} and depends on no task that builds something`];
      const own = before.find(({ agent_name }) => agent_name === task.agent_name);
      return isReview(task, role) && own !== undefined
        ? [`task \`${task.id}\` reviews what \`${task.agent_name}\` built in \`${own.id}\`: somebody else has to`]
        : [];
    }),
  ];
}

function isReview({ name }: Task, role: string): boolean {
  return buildsThings(role) && /^\s*(?:code[- ])?review\b/i.test(name);
}

/** Work that is no task: it follows by itself. */
const DEPLOYS = /^\s*(?:re)?deploy(?:s|ing|ment)?\b/i;
const DEVICE = '(?:board|device|firmware|esp32|chip|image|microcontroller|hardware)';
const FLASHES = new RegExp(`\\bflash(?:es|ing)?\\s+(?:(?:the|an?|it|this|to)\\s+)*${DEVICE}\\b`, 'i');

function wordFaults({ tasks }: Graph): string[] {
  return tasks
    .filter(({ name }) => DEPLOYS.test(name) || FLASHES.test(name))
    .map(({ id, name }) => `task \`${id}\` (${name}) deploys or flashes: that is no task, it follows by itself`);
}

/** Each requirement has a task; of tasks that say nothing of requirements nobody knows. */
function coverageFaults({ tasks, rules: { requirements } }: Graph): string[] {
  const told = tasks.filter(({ requirement_ids = [] }) => requirement_ids.length > 0);
  if (told.length === 0) return [];
  const covered = new Set(told.flatMap(({ requirement_ids = [] }) => requirement_ids));
  return [
    ...told.flatMap(({ id, requirement_ids = [] }) =>
      requirement_ids
        .filter((one) => !requirements.includes(one))
        .map((one) => `task \`${id}\` names the requirement \`${one}\`, which the spec does not have`),
    ),
    ...requirements.filter((one) => !covered.has(one)).map((one) => `the requirement \`${one}\` has no task`),
  ];
}

function listed(ids: string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ');
}
