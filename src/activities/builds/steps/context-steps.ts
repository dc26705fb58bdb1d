import { levelOf, predecessorsOf } from '../../../plan/builds/context-level.js';
import type { Role } from '../../../plan/builds/build-spec.js';
import type { Task } from '../../../plan/builds/task.js';
import { literalText } from '../../../plan/values/expression.js';

/** Where a build keeps what was done, from the project's folder. */
export const CONTEXT_FILE = '.elisa/context/nugget_context.md';

/** What a build came to: what was said of its tasks, the nearest first, and what its tests and its result say. */
export interface Earlier {
  summaries: { name: string; text: string }[];
  results: { name: string; text: string }[];
}

/** What the context of all tasks is made from. */
export interface Chain {
  tasks: Task[];
  /** Ids of the tasks' steps by those of tasks. */
  ids: ReadonlyMap<string, string>;
  roleOf: (task: Task) => Role;
  /** What an earlier build came to, for those who begin after it (level 5). */
  earlier?: Earlier | undefined;
}

/** Inputs of `gather_context` for whoever works after the tests: templates. */
export interface Gathering {
  before: Earlier['summaries'];
  reviews: Earlier['summaries'];
  results: Earlier['results'];
}

/** The steps around a task's own. */
export interface ContextSteps {
  /** Gathers what happened before; null where the spec is all that is told. */
  gather: ({ id: string } & Record<string, unknown>) | null;
  keep: object;
}

/**
 * What a task is told of those before it, by the level of its context (`levelOf`), and what is kept of it: a step of
 * `gather_context` before its own, and one of `keep_context` after.
 */
export function contextSteps(task: Task, chain: Chain): ContextSteps {
  const { tasks, ids, roleOf, earlier } = chain;
  const index = tasks.indexOf(task);
  const level = levelOf(task, tasks, roleOf(task));
  const before = predecessorsOf(task, tasks);
  const reviews = level === 4 ? before.filter((one) => roleOf(one) === 'reviewer') : [];
  const id = freeId(`context_${index + 1}`, chain);
  return {
    gather:
      level === 1 && earlier === undefined
        ? null
        : {
            id,
            tool: 'gather_context',
            needs: task.dependencies.map((needed) => ids.get(needed)),
            on_error: 'continue',
            inputs: {
              for: literalText(task.id),
              before: [
                ...said(
                  before.filter((one) => !reviews.includes(one)),
                  chain,
                ),
                ...literals(earlier?.summaries),
              ],
              ...(reviews.length === 0 ? {} : { reviews: said(reviews, chain) }),
              ...(earlier === undefined ? {} : { results: literals(earlier.results) }),
            },
          },
    keep: {
      id: freeId(`keep_${index + 1}`, chain),
      tool: 'keep_context',
      needs: [ids.get(task.id)],
      on_error: 'continue',
      inputs: {
        path: CONTEXT_FILE,
        ...(earlier === undefined ? {} : { on_top: true }),
        task: literalText(task.id.slice(0, 200)),
        name: literalText(task.name.slice(0, 500)),
        summary: outputOf(task, chain),
      },
    },
  };
}

/**
 * What is told of all tasks after them (level 5), the nearest first: what was done, what reviewers said, and what these
 * steps, which come before, have found.
 */
export function contextAfter(chain: Chain, found: string[]): Gathering {
  const { tasks, roleOf, earlier } = chain;
  const all = predecessorsOf({ id: '', dependencies: tasks.map(({ id }) => id).reverse() }, tasks);
  const isReview = (task: Task): boolean => roleOf(task) === 'reviewer';
  return {
    before: [
      ...said(
        all.filter((task) => !isReview(task)),
        chain,
      ),
      ...literals(earlier?.summaries),
    ],
    reviews: said(all.filter(isReview), chain),
    results: [
      ...found.map((id) => ({ name: id, text: `\${steps.${id}.output ?? "It did not end."}` })),
      ...literals(earlier?.results),
    ],
  };
}

function said(tasks: Task[], chain: Chain): Earlier['summaries'] {
  return tasks.map((task) => ({ name: literalText(`${task.id}: ${task.name}`), text: outputOf(task, chain) }));
}

function literals(all: Earlier['results'] = []): Earlier['results'] {
  return all.map(({ name, text }) => ({ name: literalText(name), text: literalText(text) }));
}

function outputOf({ id }: Task, { ids }: Chain): string {
  return `\${steps.${ids.get(id) ?? ''}.output ?? "It did not succeed."}`;
}

/** An id that no task's step has. */
function freeId(wanted: string, { ids }: Chain): string {
  const taken = new Set(ids.values());
  let id = wanted;
  while (taken.has(id)) id = `${id}_`;
  return id;
}
