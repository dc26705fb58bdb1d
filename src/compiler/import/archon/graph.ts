import type { Node } from '../../text/node.js';
import type { ArchonNode, NodeKind } from './schema.js';

/** A node of a workflow or of a loop's body. */
export interface GraphNode {
  id: string;
  /** The id of its step here; what depends on the node needs this step. */
  step: string;
  kind: NodeKind;
  said: ArchonNode;
  /** Where it is written. */
  at: Node;
}

/** The nodes of one `nodes:`, each after those that it depends on. */
export interface Graph {
  nodes: GraphNode[];
  byId: ReadonlyMap<string, GraphNode>;
  /** All nodes that have ended when this one begins. */
  before: ReadonlyMap<string, ReadonlySet<string>>;
  /** Those of them that have certainly succeeded. */
  certain: ReadonlyMap<string, ReadonlySet<string>>;
  /** Nodes that may be skipped although nothing failed. */
  optional: ReadonlySet<string>;
  /** The node whose conversation this one goes on with, as Archon threads them. */
  conversation: ReadonlyMap<string, string>;
}

/** What the rules of order make of nodes whose `depends_on` form no cycle. */
export function graphOf(unordered: GraphNode[]): Graph {
  const nodes = sorted(unordered);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const before = new Map<string, Set<string>>();
  const certain = new Map<string, Set<string>>();
  const optional = new Set<string>();
  for (const node of nodes) {
    const deps = depsOf(node);
    before.set(node.id, union(deps, before));
    certain.set(node.id, takesAll(node) ? union(deps, certain) : new Set());
    if (node.said.when !== undefined || !takesAll(node) || deps.some((dep) => optional.has(dep))) optional.add(node.id);
  }
  return { nodes, byId, before, certain, optional, conversation: conversationsOf(nodes) };
}

export function depsOf({ said }: GraphNode): string[] {
  return [...new Set(said.depends_on ?? [])];
}

/** Tells whether all that a node depends on has succeeded when it begins. */
export function takesAll(node: GraphNode): boolean {
  const { trigger_rule: rule = 'all_success' } = node.said;
  return rule === 'all_success' || (depsOf(node).length <= 1 && rule !== 'all_done');
}

function union(deps: string[], of: Map<string, Set<string>>): Set<string> {
  return new Set(deps.flatMap((dep) => [dep, ...(of.get(dep) ?? [])]));
}

/** Stable: nodes keep their order where nothing says otherwise. */
function sorted(nodes: GraphNode[]): GraphNode[] {
  const placed = new Set<string>();
  const result: GraphNode[] = [];
  let left = nodes;
  while (left.length > 0) {
    const ready = left.filter((node) => depsOf(node).every((dep) => placed.has(dep)));
    const next = ready.length === 0 ? left : ready.slice(0, 1);
    for (const node of next) {
      placed.add(node.id);
      result.push(node);
    }
    left = left.filter((node) => !placed.has(node.id));
  }
  return result;
}

const TALKS: ReadonlySet<NodeKind> = new Set<NodeKind>(['command', 'prompt', 'loop']);

/**
 * A node that is alone in its layer goes on with the conversation of the last such node before it; nodes side by side
 * begin anew, as does one with `context: fresh`.
 */
function conversationsOf(nodes: GraphNode[]): Map<string, string> {
  const layers = layersOf(nodes);
  const result = new Map<string, string>();
  let last: string | null = null;
  for (const layer of layers) {
    const [only, ...others] = layer;
    for (const { id, said } of layer) if (typeof said.context === 'object') result.set(id, said.context.resume);
    if (only === undefined || others.length > 0) {
      if (layer.some(({ kind }) => TALKS.has(kind))) last = null;
      continue;
    }
    if (!TALKS.has(only.kind)) continue;
    if (last !== null && only.kind !== 'loop' && (only.said.context ?? 'shared') === 'shared')
      result.set(only.id, last);
    last = only.id;
  }
  return result;
}

function layersOf(nodes: GraphNode[]): GraphNode[][] {
  const depth = new Map<string, number>();
  const layers: GraphNode[][] = [];
  for (const node of nodes) {
    const layer = Math.max(-1, ...depsOf(node).map((dep) => depth.get(dep) ?? -1)) + 1;
    depth.set(node.id, layer);
    (layers[layer] ??= []).push(node);
  }
  return layers;
}
