import type { Plan, PlanBody } from '../../plan/plan.js';
import { everyStep } from '../../plan/step.js';
import type { Need } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Definition } from '../load.js';
import type { Node } from '../text/node.js';
import { memberOf, startOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';

/**
 * Finds the first cycle of a graph, as the nodes on it from the first one back to the first one; null when there is
 * none.
 */
export function findCycle<T>(starts: Iterable<T>, next: (node: T) => T[]): T[] | null {
  const done = new Set<T>();
  for (const start of starts) {
    // An explicit stack: a file may hold more steps than a recursion has frames.
    const path: { node: T; rest: T[] }[] = done.has(start) ? [] : [{ node: start, rest: [...next(start)] }];
    const onPath = new Set<T>([start]);
    while (path.length > 0) {
      const top = path[path.length - 1];
      const target = top?.rest.pop();
      if (top === undefined) break;
      if (target === undefined) {
        path.pop();
        onPath.delete(top.node);
        done.add(top.node);
      } else if (onPath.has(target)) {
        const nodes = path.map(({ node }) => node);
        return [...nodes.slice(nodes.indexOf(target)), target];
      } else if (!done.has(target)) {
        path.push({ node: target, rest: [...next(target)] });
        onPath.add(target);
      }
    }
  }
  return null;
}

/** Tells whether no step waits for itself; a cycle is reported at the step that comes first in the file. */
export function checkStepCycle(edges: Need[][], stepNodes: Node[], report: Report): boolean {
  // Where each waits for earlier ones, as in most files, there is none.
  if (edges.every((needs, index) => needs.every(({ step }) => step < index))) return true;
  const cycle = findCycle(edges.keys(), (step) => (edges[step] ?? []).map((need) => need.step));
  if (cycle === null) return true;
  const [first = 0, ...rest] = rotate(cycle.slice(0, -1));
  const names = [first, ...rest, first].map((step) => nameOf(stepNodes[step], step));
  const node = stepNodes[first];
  const at = node && (memberOf(node, 'needs') ?? startOf(node));
  if (at !== undefined) {
    report({
      code: 'step-cycle',
      at,
      message: `Step cycle detected: ${names.join(' → ')}`,
      suggestion: 'a step waits for those it refers to or names in `needs`',
    });
  }
  return false;
}

function nameOf(node: Node | undefined, index: number): string {
  const id = node && memberOf(node, 'id')?.value;
  return typeof id === 'string' ? id : String(index);
}

/** Turns a cycle so that it starts at its smallest step. */
function rotate(cycle: number[]): number[] {
  const start = cycle.indexOf(Math.min(...cycle));
  return [...cycle.slice(start), ...cycle.slice(0, start)];
}

/** A `workflow:` of a definition, and what it names. */
export interface Nesting {
  at: Node;
  definition: Definition;
}

/**
 * Reports workflows that contain themselves, and nesting deeper than `maxDepth` levels (the top is level 1), in the
 * words of docs/workflows.md.
 */
export function checkNesting(
  top: Definition,
  findNestings: (definition: Definition) => Nesting[],
  maxDepth: number,
  report: Report,
): void {
  const known = new Map<Definition, Nesting[]>();
  const nestingsOf = (definition: Definition): Nesting[] => {
    const nestings = known.get(definition) ?? findNestings(definition);
    known.set(definition, nestings);
    return nestings;
  };
  const cycle = findCycle([top], (definition) =>
    nestingsOf(definition)
      .map((nesting) => nesting.definition)
      .reverse(),
  );
  if (cycle === null) return checkDepth(top, nestingsOf, maxDepth, report);
  const last = cycle[cycle.length - 2];
  const at = last && nestingsOf(last).find(({ definition }) => definition === cycle[0])?.at;
  const names = cycle.map(({ name }) => name).join(' → ');
  if (at) report({ code: 'workflow-cycle', at, message: `Workflow cycle detected: ${names}` });
}

/** Reports nesting that is too deep at the step that goes too far. There is no cycle. */
function checkDepth(
  top: Definition,
  nestingsOf: (definition: Definition) => Nesting[],
  maxDepth: number,
  report: Report,
): void {
  const levels = new Map<Definition, number>();
  const deepest = deepestBelow(top, nestingsOf, levels);
  if (deepest <= maxDepth) return;
  const path = [top];
  let at: Node | null = null;
  for (let current = top; path.length <= maxDepth;) {
    const next = nestingsOf(current).find(({ definition }) => (levels.get(definition) ?? 0) + path.length === deepest);
    if (next === undefined) break;
    at = next.at;
    current = next.definition;
    path.push(current);
  }
  const names = path
    .slice(0, maxDepth)
    .map(({ name }) => name)
    .join(' → ');
  if (at)
    report({
      code: 'workflow-depth',
      at,
      message: `Workflow depth limit exceeded (${maxDepth}): ${names} → …`,
      suggestion: 'raise `workflows.max_depth` in perdure.yml, or nest less',
    });
}

/** Levels of nesting from here on down, this one included; there is no cycle. */
function deepestBelow(
  definition: Definition,
  nestingsOf: (definition: Definition) => Nesting[],
  levels: Map<Definition, number>,
): number {
  const known = levels.get(definition);
  if (known !== undefined) return known;
  const below = nestingsOf(definition).map((nesting) => deepestBelow(nesting.definition, nestingsOf, levels));
  const depth = 1 + Math.max(0, ...below);
  levels.set(definition, depth);
  return depth;
}

/** How many levels of workflows may be nested where `workflows.max_depth` says nothing; the top is level 1. */
export const DEFAULT_MAX_DEPTH = 5;

/** How many levels of workflows a Plan has. What is made while it runs is a level below its step. */
export function levelsOf(plan: Plan): number {
  const known = new Map<Hash, number>();
  const levels = (body: Pick<PlanBody, 'steps'>): number =>
    1 +
    Math.max(
      0,
      ...[...everyStep(body)].map((step) =>
        step.kind === 'plan' ? 1 : step.kind === 'workflow' ? nested(step.plan) : 0,
      ),
    );
  const nested = (hash: Hash): number => {
    const body = plan.nested[hash];
    const count = known.get(hash) ?? (body === undefined ? 1 : levels(body));
    known.set(hash, count);
    return count;
  };
  return levels(plan);
}
