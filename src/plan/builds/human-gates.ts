import type { Json } from '../values/json.js';
import { mapIn, textsIn } from './build-spec.js';
import type { Task } from './task.js';

/** A place in a build at which a person is asked before it goes on. */
export interface HumanGate {
  /** Ids of the tasks that come before it; none of the others starts before it is passed. */
  after: string[];
  message: string;
}

/**
 * Where a person is asked, by `workflow.human_gates` of a spec: once, when half of the tasks are done, whatever the
 * list says and however long it is; never where it is empty, or where one task is all there is. The first half are the
 * tasks that come first where each stands after those that it depends on, else in their order. Expects tasks without
 * cycles.
 */
export function gatesIn(spec: Json, tasks: Pick<Task, 'id' | 'dependencies'>[]): HumanGate[] {
  const asked = textsIn(mapIn(spec, 'workflow'), 'human_gates');
  const half = Math.floor(tasks.length / 2);
  if (asked.length === 0 || half === 0) return [];
  const said = asked.map((text) => text.trim()).filter((text) => text !== '');
  return [
    {
      after: inOrder(tasks).slice(0, half),
      message: `Half of the tasks are done. Go on?${said.length === 0 ? '' : ` (${said.join('; ')})`}`,
    },
  ];
}

/** Each after those that it depends on. */
function inOrder(tasks: Pick<Task, 'id' | 'dependencies'>[]): string[] {
  const done = new Set<string>();
  for (;;) {
    const next = tasks.find(
      ({ id, dependencies }) => !done.has(id) && dependencies.every((needed) => done.has(needed)),
    );
    if (next === undefined) return [...done];
    done.add(next.id);
  }
}
