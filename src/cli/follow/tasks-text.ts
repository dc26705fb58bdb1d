import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { textIn } from '../../plan/builds/build-spec.js';
import type { Task } from '../../plan/builds/task.js';
import { isTexts, tasksIn } from '../../plan/builds/task.js';
import type { Store } from '../../store/store.js';
import { pastTaskCosts } from '../forecast/past-task-costs.js';
import { taskCost } from '../forecast/task-cost.js';
import type { PlannedTasks } from '../observe/view/view.js';
import { plural } from '../text/format.js';

/** Columns of what stands before a value. */
const KEY = 11;
const TASK = '   ';

/** What is known of a task beside what its planner says of it. */
export interface TaskFacts {
  /** Of an agent of the team; null for others. */
  role: string | null;
  cost: string;
  /** What the requirements ask that it may name, by their ids. */
  requirements?: ReadonlyMap<string, string>;
}

/** Planned tasks as people read them before they approve them, with who does each and what it is expected to cost. */
export async function shownTasks(content: Json, { team, spec }: PlannedTasks, store: Store): Promise<string> {
  const known = spec === null ? null : (JSON.parse(await store.getText(spec)) as Json); // the compiler wrote it
  const requirements = requirementsOf(known);
  const past = await pastTaskCosts(store);
  const tasks = tasksIn(content) ?? [];
  const facts = tasks.map((task) => {
    const member = team.find(({ name }) => name === task.agent_name);
    return { role: member?.role ?? null, cost: taskCost(task, { member, spec: known, past }), requirements };
  });
  return `${tasksText(content, facts)}${unnamedText(tasks, requirements)}`;
}

/** The requirements that no task names: of these nobody knows whether the tasks see to them. */
function unnamedText(tasks: Task[], requirements: ReadonlyMap<string, string>): string {
  const named = new Set(tasks.flatMap(({ requirement_ids = [] }) => requirement_ids));
  const unnamed = [...requirements.keys()].filter((id) => !named.has(id));
  if (unnamed.length === 0) return '';
  return `\n\n${entry('', 'no task is', `for:\n${items(unnamed.map((id) => described(id, requirements)))}`)}`;
}

/**
 * All of a planner's answer, task by task. A text stands to the right of what it is, in all of its lines, so none can
 * pass for something beside it; names that could be read in two ways are quoted.
 */
export function tasksText(content: Json, facts: TaskFacts[]): string {
  if (!isObject(content) || !Array.isArray(content['tasks'])) return JSON.stringify(content, null, 2);
  const { tasks, ...rest } = content;
  const parts = [
    [plural(tasks.length, 'task')],
    ...tasks.map((task, index) => taskLines(task, index + 1, facts[index])),
    inOrder(rest).map(([key, value]) => entry('', ...ofPlan(key, value))),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function taskLines(task: Json, number: number, facts: TaskFacts | undefined): string[] {
  if (!isObject(task)) return [`${number}. ${JSON.stringify(task)}`];
  const { id, name, description, acceptance_criteria, dependencies, agent_name, ...rest } = task;
  const role = facts?.role ?? null;
  return [
    // A line of a name below the others must not pass for one of theirs.
    hanging(`${number}. `, plain(name), TASK.length + KEY),
    ...(
      [
        ['id', word(plain(id))],
        ['agent', `${plain(agent_name)} (${role ?? 'nobody of the team'})`],
        ['after', words(dependencies, 'nothing')],
        ['does', plain(description)],
        ['done when', items(acceptance_criteria)],
        ...Object.entries(rest).map(([key, value]) => ofTask(key, value, facts?.requirements)),
        ['cost', facts?.cost ?? 'unknown'],
      ] satisfies [string, string][]
    ).map(([key, text]) => entry(TASK, key, text)),
  ];
}

/** What a key of a task is called, and its value; what is not known stands as it is written. */
function ofTask(key: string, value: Json, requirements?: ReadonlyMap<string, string>): [string, string] {
  if (key === 'complexity' && typeof value === 'string') return ['size', value];
  if (key === 'requirement_ids' && isTexts(value))
    return ['for', value.length === 0 ? 'no requirement' : items(value.map((id) => described(id, requirements)))];
  return [JSON.stringify(key), JSON.stringify(value)];
}

function described(id: string, requirements: ReadonlyMap<string, string> = new Map()): string {
  const text = requirements.get(id);
  return text === undefined ? word(id) : `${word(id)}: ${text}`;
}

/** What the requirements of a completed spec ask, by their ids. */
function requirementsOf(spec: Json): ReadonlyMap<string, string> {
  const all = isObject(spec) && Array.isArray(spec['requirements']) ? spec['requirements'] : [];
  return new Map(all.map((one) => [textIn(one, 'id'), textIn(one, 'description')]));
}

/** What is known in its usual order, then all else. */
const PLAN_KEYS = ['plan_explanation', 'test_command', 'start_command', 'page'];

function inOrder(rest: JsonObject): [string, Json][] {
  const placeOf = (key: string): number => (PLAN_KEYS.includes(key) ? PLAN_KEYS.indexOf(key) : PLAN_KEYS.length);
  return Object.entries(rest).sort(([one], [other]) => placeOf(one) - placeOf(other));
}

function ofPlan(key: string, value: Json): [string, string] {
  if (key === 'plan_explanation' && typeof value === 'string') return ['why so', value];
  if (key === 'page' && (typeof value === 'string' || value === null)) return ['page', command(value)];
  const name = key === 'test_command' ? 'tests' : key === 'start_command' ? 'start' : null;
  return name !== null && (value === null || isTexts(value))
    ? [name, command(value)]
    : [JSON.stringify(key), JSON.stringify(value)];
}

function command(value: string | string[] | null): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? word(value) : value.map(word).join(' ') || '[]';
}

function plain(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function words(value: Json | undefined, none: string): string {
  if (!isTexts(value)) return JSON.stringify(value ?? null);
  return value.length === 0 ? none : value.map(word).join(', ');
}

/** A word as it is where it can be nothing else, else quoted. */
function word(text: string): string {
  return /^(?!(?:nothing|none)$)[\w@%+=:./-]+$/.test(text) ? text : JSON.stringify(text);
}

/** Each on lines of its own. */
function items(value: Json | undefined): string {
  if (!isTexts(value)) return JSON.stringify(value ?? null);
  return value.length === 0 ? 'nothing is said' : value.map((text) => hanging('- ', text)).join('\n');
}

function entry(indent: string, key: string, text: string): string {
  return hanging(`${indent}${key.padEnd(KEY - 1)} `, text);
}

/** The lines of a text below each other, to the right of `head`. */
function hanging(head: string, text: string, indent = head.length): string {
  return `${head}${text.replaceAll('\n', `\n${' '.repeat(indent)}`)}`;
}
