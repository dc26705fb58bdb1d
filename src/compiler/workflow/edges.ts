import type { Need } from '../../plan/step.js';
import type { Mode, Names } from '../expressions/scope.js';
import type { Use } from '../expressions/references.js';
import { targetOf } from '../expressions/references.js';

/** What decides the edges of one step. */
export interface EdgeStep {
  group: string | null;
  /** Indexes under `needs:`. */
  needs: number[];
  /** Indexes under `after:`: what must have ended, however it did. */
  after?: number[];
  uses: readonly Use[];
}

/**
 * The edges of all steps, sorted by step (docs/workflows.md). The order of a mode counts only where
 * nothing else orders two steps: its edges are reduced, so that a file of n steps in order has n edges.
 * An edge holds until the step it comes from has ended, and a step ends, also as skipped, only after all it needs.
 */
export function edgesOf(
  steps: EdgeStep[],
  { mode, groups, ordinary }: Pick<Names, 'mode' | 'groups' | 'ordinary'>,
): Need[][] {
  const order = orderOf(steps.slice(0, ordinary), mode);
  const skips = new Map<number, boolean>();
  const edges = steps.slice(0, ordinary).map((step, index) => {
    skips.clear();
    const add = (from: number, skip: boolean): void => {
      if (from !== index || mode === 'dag') skips.set(from, skip || (skips.get(from) ?? false));
    };
    for (const from of order(index)) add(from, false);
    for (const from of step.needs) add(from, true);
    for (const from of step.after ?? []) add(from, false);
    for (const use of step.uses) {
      const target = targetOf(use.root);
      if (target.kind === 'step') add(target.step, !isHarmless(use, target.field));
      // A group's result carries the failures of its members, so it never makes a dependent.
      if (target.kind === 'group') for (const member of groups.get(target.name) ?? []) add(member, false);
    }
    const needs = Array.from(skips, ([from, skip]): Need => ({ step: from, skip }));
    return needs.length > 1 ? needs.sort((a, b) => a.step - b.step) : needs;
  });
  return [...edges, ...finalEdges(edges, steps.length)];
}

/** The steps of `finally` run one after the other, whatever failed, when all others have ended. */
function finalEdges(edges: Need[][], steps: number): Need[][] {
  if (steps === edges.length) return [];
  const awaited = new Set(edges.flatMap((needs) => needs.map(({ step }) => step)));
  const last = edges.flatMap((_, index) => (awaited.has(index) ? [] : [{ step: index, skip: false }]));
  return Array.from({ length: steps - edges.length }, (_, index) =>
    index === 0 ? last : [{ step: edges.length + index - 1, skip: false }],
  );
}

/** An upper bound of the number of edges, without making them. */
export function countEdges(steps: EdgeStep[], { mode, groups }: Pick<Names, 'mode' | 'groups'>): number {
  const order = orderOf(steps, mode);
  return steps.reduce((sum, { needs, after = [], uses }, index) => {
    const members =
      groups.size === 0 ? uses.length : uses.reduce((read, { root }) => read + edgesFrom(root, groups), 0);
    return sum + order(index).length + needs.length + after.length + members;
  }, 0);
}

function edgesFrom(root: Use['root'], groups: Names['groups']): number {
  const target = targetOf(root);
  return target.kind === 'group' ? (groups.get(target.name)?.length ?? 0) : 1;
}

/** Tells whether a failure of the step that is read leaves the reader something to say. */
function isHarmless({ guarded }: Use, field: string): boolean {
  return guarded || field === 'status' || field === 'error' || field === 'decided_by';
}

/** What each step waits for as the mode orders steps. */
function orderOf(steps: EdgeStep[], mode: Mode): (index: number) => readonly number[] {
  switch (mode) {
    case 'dag':
      return () => NOTHING;
    case 'sequential':
      return (index) => (index === 0 ? NOTHING : [index - 1]);
    case 'parallel': {
      const order = parallelOrder(steps);
      return (index) => order[index] ?? NOTHING;
    }
  }
}

const NOTHING: readonly number[] = [];

/**
 * Members of a group wait for everything written before the group's first member; a step without a group waits for
 * everything before it once a group was written. `frontier` is what nobody waits for yet: waiting for it is waiting
 * for all that came before.
 */
function parallelOrder(steps: EdgeStep[]): number[][] {
  const entries = new Map<string, number[]>();
  let frontier: number[] = [];
  return steps.map(({ group }, index) => {
    if (group === null) {
      if (entries.size === 0) {
        frontier.push(index);
        return [];
      }
      const order = frontier;
      frontier = [index];
      return order;
    }
    const known = entries.get(group);
    const order = known ?? frontier;
    // The first member of a group takes over from what it waits for; the others stand beside it.
    if (known === undefined) frontier = [index];
    else frontier.push(index);
    entries.set(group, order);
    return order;
  });
}
