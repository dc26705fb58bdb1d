import type { ConductorGraph, ConductorNode } from './nodes.js';

/** What is one step in its region: a node, or a loop of them. */
export type Unit = { kind: 'node'; step: string; node: ConductorNode } | { kind: 'loop'; step: string; region: Region };

/** Nodes that run one after the other, each at most once: a whole workflow, or a round of a loop. */
export interface Region {
  /** What runs first. Routes to it from inside are the next round. */
  entry: ConductorNode;
  /** In an order in which no route leads back. */
  units: Unit[];
  /** The region in which this one is a loop, and the step that it is there; null for the whole workflow. */
  outer: { region: Region; step: string } | null;
  /** All nodes, those of inner loops among them. */
  nodes: ReadonlySet<ConductorNode>;
}

/** Routes that cannot be loops inside each other: a second node through which a loop can be entered. */
export interface Tangle {
  tangled: ConductorNode;
  entry: ConductorNode;
}

/** Finds the loops of a graph. */
export function regionOf(graph: ConductorGraph, taken: Set<string>): Region | Tangle {
  return structured({ entry: graph.entry, nodes: graph.nodes, outer: null }, graph, taken);
}

interface Part {
  entry: ConductorNode;
  nodes: readonly ConductorNode[];
  outer: Region['outer'];
}

function structured({ entry, nodes, outer }: Part, graph: ConductorGraph, taken: Set<string>): Region | Tangle {
  const inside = new Set(nodes);
  const region: Region = { entry, units: [], outer, nodes: inside };
  // Routes to the entry begin the next round, except in the whole workflow, where nothing is a round yet.
  const next = (node: ConductorNode): ConductorNode[] =>
    targetsOf(node, graph).filter((to) => inside.has(to) && (outer === null || to !== entry));
  for (const group of groupsOf([entry, ...nodes.filter((node) => node !== entry)], next)) {
    const [first] = group;
    if (first === undefined) continue;
    if (group.length === 1 && !next(first).includes(first)) {
      region.units.push({ kind: 'node', step: first.step, node: first });
      continue;
    }
    const members = new Set(group);
    const entered = nodes.filter((from) => !members.has(from)).flatMap((from) => next(from));
    const heads = group.filter((node) => node === entry || entered.includes(node));
    const [head, tangled] = heads;
    if (head === undefined) continue;
    if (tangled !== undefined) return { tangled, entry: head };
    const step = loopId(head, taken);
    const inner = structured({ entry: head, nodes: group, outer: { region, step } }, graph, taken);
    if ('tangled' in inner) return inner;
    region.units.push({ kind: 'loop', step, region: inner });
  }
  return region;
}

function loopId({ step }: ConductorNode, taken: Set<string>): string {
  for (let number = 1; ; number++) {
    const id = `${step.slice(0, 48)}-rounds${number === 1 ? '' : `-${number}`}`;
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}

/** The nodes that routes of a node lead to. */
export function targetsOf({ routes }: ConductorNode, { byName }: Pick<ConductorGraph, 'byName'>): ConductorNode[] {
  return routes.flatMap(({ to }) => (to === null ? [] : (byName.get(to) ?? [])));
}

/** Nodes that lead to each other, together, before all that they lead to; nodes of one group in the order given. */
function groupsOf(nodes: readonly ConductorNode[], next: (node: ConductorNode) => ConductorNode[]): ConductorNode[][] {
  const reach = new Map(nodes.map((node) => [node, reachedFrom(node, next)]));
  const leads = (from: ConductorNode, to: ConductorNode): boolean => reach.get(from)?.has(to) ?? false;
  const left = new Set(nodes);
  const groups: ConductorNode[][] = [];
  while (left.size > 0) {
    const ready = [...left].find((node) => [...left].every((other) => !leads(other, node) || leads(node, other)));
    if (ready === undefined) break;
    const group = [...left].filter((node) => node === ready || (leads(ready, node) && leads(node, ready)));
    for (const node of group) left.delete(node);
    groups.push(group);
  }
  return groups;
}

function reachedFrom(node: ConductorNode, next: (node: ConductorNode) => ConductorNode[]): Set<ConductorNode> {
  const reached = new Set(next(node));
  for (const one of reached) for (const other of next(one)) reached.add(other);
  return reached;
}
